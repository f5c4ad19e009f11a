import { expect, test } from 'vitest'
import { together } from '../../src/cluster/together.ts'

const later = async (message: string) => {
  await new Promise((resolve) => setImmediate(resolve))
  throw new Error(message)
}

test('answers come in order', async () => {
  expect(await together([Promise.resolve(1), Promise.resolve('two')])).toEqual([1, 'two'])
})

test('of several refusals the first in order is told, though another came before it', async () => {
  await expect(together([later('first'), Promise.reject(new Error('second'))])).rejects.toThrow(
    'first',
  )
})
