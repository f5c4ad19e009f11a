import { expect, test } from 'vitest'
import { EXIT, MigError } from '../../src/errors.ts'
import { parseReference, type SubjectKind } from '../../src/kubevirt/reference.ts'

const ALL: SubjectKind[] = ['vm', 'vmi', 'vmim', 'node']

test.each([
  ['vm-1', undefined, 'vm-1'],
  ['vm/vm-1', 'vm', 'vm-1'],
  ['vms/vm-1', 'vm', 'vm-1'],
  ['VirtualMachineInstance/a.b', 'vmi', 'a.b'],
  ['vmim/kubectl-mig-x7k2p', 'vmim', 'kubectl-mig-x7k2p'],
  ['no/node-1', 'node', 'node-1'],
  ['vm/proxy', 'vm', 'proxy'],
])('%s is read as kubectl would', (text, kind, name) => {
  expect(parseReference(text, ALL)).toEqual({ kind, name, text })
})

test.each([
  ['pod/x', '"pod/x": there is no kind "pod" here'],
  ['vm/', '"vm/": the name is missing'],
  ['', '"": the name is missing'],
  ['vm/a/b', '"vm/a/b": "a/b" is no valid name'],
  ['Vm_1', '"Vm_1": "Vm_1" is no valid name'],
  ['-x', '"-x": "-x" is no valid name'],
])('%s is refused in one line that says what was expected', (text, message) => {
  expect(() => parseReference(text, ['vm', 'vmi'])).toThrow(
    new MigError(EXIT.usage, message, { hint: 'expected NAME, vm/NAME, vmi/NAME' }),
  )
})

test.each([
  ['vmim/a', '"vmim/a" is a migration, which this command does not take', ''],
  [
    'node/node-1',
    '"node/node-1" is a node, which this command does not take',
    '; "kubectl mig diagnose node/NAME" looks at a node',
  ],
])('%s is a kind that exists, for another command', (text, message, more) => {
  expect(() => parseReference(text, ['vm', 'vmi'])).toThrow(
    new MigError(EXIT.usage, message, { hint: `expected NAME, vm/NAME, vmi/NAME${more}` }),
  )
})
