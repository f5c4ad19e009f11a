import { Errors } from '@oclif/core'
import { describe, expect, test } from 'vitest'
import { describeError } from '../src/cli.ts'
import { EXIT, MigError } from '../src/errors.ts'

describe('an error becomes one line, a hint and an exit code', () => {
  test('ours keeps its exit code and hint', () => {
    const err = new MigError(
      EXIT.notFound,
      'virtual machine "vm-9" not found\nin namespace "demo"',
      {
        hint: 'kubectl get vm -n demo',
      },
    )
    expect(describeError(err, ['migrate', 'vm-9'])).toEqual({
      message: 'virtual machine "vm-9" not found in namespace "demo"',
      hint: 'kubectl get vm -n demo',
      exit: 9,
    })
  })

  test('a usage error of the parser exits 2 and points to the help of its command', () => {
    const err = new Errors.CLIError('Nonexistent flag: --nope\nSee more help with --help')
    expect(describeError(err, ['lab', 'up', '--nope', 'x'])).toEqual({
      message: 'Nonexistent flag: --nope',
      hint: 'see "kubectl mig lab up --help"',
      exit: 2,
    })
  })

  test('the help that it points to is that of the command, not of the names behind it', () => {
    const err = new Errors.CLIError('Unexpected argument: vm-2')
    const { hint } = describeError(err, ['status', 'vm-1', 'vm-2'], ['status', 'lab:up'])
    expect(hint).toBe('see "kubectl mig status --help"')
  })

  test('a missing argument is told without the parser’s note on greedy flags', () => {
    const err = new Errors.CLIError(
      'Missing 1 required arg:\nname  NAME or\n      vm/NAME\n\nNote: --as-group allows multiple values. Because …\nAlternatively, you can use "--" to signify the end of the flags and the beginning of arguments.',
    )
    expect(describeError(err, ['migrate']).message).toBe('missing argument name: NAME or vm/NAME')
  })

  test('several things that are wrong are told in one line that reads as one', () => {
    const of = (...lines: string[]) =>
      describeError(new Errors.CLIError(lines.join('\n')), ['migrate']).message
    const needs = 'All of the following must be provided when using --resume: --selector'
    expect(of('The following error occurred:', `  ${needs}`)).toBe('--resume needs --selector')
    expect(
      of(
        'The following errors occurred:',
        'Missing required flag key',
        `  ${needs}`,
        'See more help with --help',
      ),
    ).toBe('Missing required flag key; --resume needs --selector')
    expect(of('Missing 2 required args:', 'vm    NAME', 'port  NUMBER')).toBe(
      'missing argument vm: NAME; missing argument port: NUMBER',
    )
  })

  test('an unknown command is named as it was typed', () => {
    const err = new Errors.CLIError('command lab:upp not found')
    expect(describeError(err, ['lab', 'upp'])).toEqual({
      message: 'unknown command "lab upp"',
      hint: '"kubectl mig --help" lists the commands',
      exit: 2,
    })
  })

  test('what follows a command that takes no argument is not taken for its name', () => {
    const err = new Errors.CLIError('command queue:vm-1 not found')
    expect(describeError(err, ['queue', 'vm-1'], ['queue', 'lab:up'])).toEqual({
      message: 'unexpected argument "vm-1"',
      hint: 'see "kubectl mig queue --help"',
      exit: 2,
    })
  })

  test('help that was printed is no error', () => {
    expect(describeError(new Errors.ExitError(0), [])).toEqual({ message: '', exit: 0 })
  })

  test('what nobody expected is called a defect, without a stack', () => {
    const described = describeError(new TypeError('x is not a function\n    at y'), [])
    expect(described).toMatchObject({ message: 'unexpected: x is not a function at y', exit: 1 })
  })

  test('what the system refuses is no defect', () => {
    const err = Object.assign(new Error('ENOENT: no such file or directory, mkdtemp "/nope/x"'), {
      code: 'ENOENT',
      syscall: 'mkdtemp',
      path: '/nope/x',
    })
    expect(describeError(err, [])).toEqual({
      message: 'cannot mkdtemp /nope/x: no such file',
      exit: 1,
    })
  })

  test('terminal escapes in a message do not reach the terminal', () => {
    expect(describeError(new MigError(EXIT.error, 'pod "\u001b[2Jx" is gone'), []).message).toBe(
      'pod "x" is gone',
    )
  })
})
