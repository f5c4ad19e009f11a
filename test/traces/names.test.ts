import { describe, expect, test } from 'vitest'
import { createNames } from './names.ts'

const START = Date.parse('2026-01-01T00:00:00.900Z')
const uid = (n: number) => `00000000-0000-4000-8000-00000000000${n}`

function seen() {
  const names = createNames(START)
  const launcher = (name: string, id: number, generateName = 'virt-launcher-vm-1-') =>
    names.see({ kind: 'Pod', name, uid: uid(id), generateName })
  launcher('virt-launcher-vm-1-abcde', 1)
  launcher('virt-launcher-vm-1-x-fghij', 2, 'virt-launcher-vm-1-x-')
  launcher('virt-launcher-vm-1-klmnp', 3)
  launcher('virt-launcher-vm-1-abcde', 1)
  names.see({ kind: 'VirtualMachineInstance', name: 'vm-1', uid: uid(4) })
  return names
}

describe('what the server made up has tokens', () => {
  const names = seen()
  test.each([
    ['virt-launcher-vm-1-abcde', 'virt-launcher-vm-1-<1>'],
    ['virt-launcher-vm-1-klmnp', 'virt-launcher-vm-1-<2>'],
    ['virt-launcher-vm-1-x-fghij', 'virt-launcher-vm-1-x-<1>'],
    [`job (${uid(4)}) of vm-1`, 'job (<uid of vmi vm-1>) of vm-1'],
    [uid(9), uid(9)],
    [
      'pods "virt-launcher-vm-1-zzzzz" is forbidden',
      'pods "virt-launcher-vm-1-<refused>" is forbidden',
    ],
  ])('%s', (text, token) => {
    expect(names.tokens(text)).toBe(token)
  })

  test('as keys too', () => {
    expect(names.tokens({ [uid(3)]: ['node-1', null, 1] })).toEqual({
      '<uid of pod virt-launcher-vm-1-<2>>': ['node-1', null, 1],
    })
  })
})

describe('tokens stand for what there is', () => {
  const names = seen()
  test.each([
    ['virt-launcher-vm-1-<2>', 'virt-launcher-vm-1-klmnp'],
    ['<uid of pod virt-launcher-vm-1-<2>>', uid(3)],
    [
      'a <uid of vmi vm-1> and a <uid of pod virt-launcher-vm-1-<1>>',
      `a ${uid(4)} and a ${uid(1)}`,
    ],
    ['T+12s', '2026-01-01T00:00:12Z'],
    ['T+0s', '2026-01-01T00:00:00Z'],
    ['plain', 'plain'],
  ])('%s', (token, text) => {
    expect(names.resolve({ field: [token] })).toEqual({ field: [text] })
  })

  test('what is not there yet has no name and no uid', () => {
    expect(names.resolveName('virt-launcher-vm-1-<3>')).toBeUndefined()
    expect(() => names.resolve('<uid of vmi vm-2>')).toThrow('stands for nothing yet')
    expect(() => names.resolve('virt-launcher-vm-1-<3>')).toThrow('stands for nothing yet')
  })
})

test('a token that stands for nothing yet is told', () => {
  const names = createNames(0)
  const body = { ref: '<uid of pod a-<1>>', at: 'T+3s' }
  expect(names.unresolved(body)).toBe('<uid of pod a-<1>>')
  expect(() => names.resolve(body)).toThrow('stands for nothing yet')
  names.see({ kind: 'Pod', name: 'a-bcdfg', uid: 'u-1', generateName: 'a-' })
  expect(names.unresolved(body)).toBeUndefined()
})
