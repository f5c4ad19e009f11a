import { describe, expect, test } from 'vitest'
import { holds, selects } from '../../src/rules/label-selector.ts'

describe('a selector', () => {
  test('that is absent selects nothing, an empty one everything', () => {
    expect(selects(undefined, { app: 'a' })).toBe(false)
    expect(selects({}, { app: 'a' })).toBe(true)
  })

  test.each<[string, string[] | undefined, boolean, boolean]>([
    ['In', ['a', 'b'], true, false],
    ['NotIn', ['b'], true, true],
    ['Exists', undefined, true, false],
    ['DoesNotExist', undefined, false, true],
    ['Newer', undefined, false, false],
  ])('%s', (operator, values, present, absent) => {
    const requirement = { key: 'app', operator, ...(values ? { values } : {}) }
    expect(holds(requirement, { app: 'a' })).toBe(present)
    expect(holds(requirement, {})).toBe(absent)
  })

  test('asks for labels, not for what every object has', () => {
    expect(holds({ key: 'constructor', operator: 'Exists' }, {})).toBe(false)
    expect(holds({ key: 'toString', operator: 'DoesNotExist' }, {})).toBe(true)
    expect(holds({ key: 'valueOf', operator: 'NotIn', values: ['a'] }, {})).toBe(true)
  })
})
