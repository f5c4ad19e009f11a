import { expect, test } from 'vitest'
import { ownValue } from '../../src/kubevirt/own-value.ts'

test('a name that every object knows is nobody’s own', () => {
  expect(ownValue({ zone: 'a' }, 'zone')).toBe('a')
  for (const name of ['constructor', 'toString', '__proto__'])
    expect(ownValue({ zone: 'a' }, name)).toBeUndefined()
  expect(ownValue(undefined, 'zone')).toBeUndefined()
})
