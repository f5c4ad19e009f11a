import { expect, test } from 'vitest'
import { readPortMap } from '../../src/proxy/arguments.ts'

async function* chunks(...texts: string[]): AsyncGenerator<string> {
  yield* texts
}

/** As a target that has printed its map and runs on. */
async function* open(...texts: string[]): AsyncGenerator<string> {
  yield* texts
  await new Promise(() => {})
}

test('a port map is what was given, or what comes on stdin', async () => {
  expect(await readPortMap('{"4001":0}', open())).toEqual({ 4001: 0 })
  expect(await readPortMap('-', chunks('{"40', '01":0}'))).toEqual({ 4001: 0 })
  expect(await readPortMap('-', chunks('{\n', '"4001": 0\n', '}\n'))).toEqual({ 4001: 0 })
})

test('a whole line is enough, its sender may run on', async () => {
  expect(await readPortMap('-', open('{"4001":0,', '"4002":49152}\n'))).toEqual({
    4001: 0,
    4002: 49152,
  })
})

test('what never ends is refused', async () => {
  const endless = (async function* () {
    for (;;) yield 'y\n'.repeat(4096)
  })()
  await expect(readPortMap('-', endless)).rejects.toThrow('longer than 64 KiB')
})

test.each([
  ['{"4001":0,"4001":49152}', 'has the port 4001 more than once'],
  ['{"4001":0,"\\u0034001":49152}', 'has the port 4001 more than once'],
  ['{"4001":{"a\\"":1},"4001":0}', 'has the port 4001 more than once'],
  ['{"4001":0,"4002":0}', 'gives ports 4001 and 4002 the same label 0'],
  ['{"__proto__":0}', 'has the key "__proto__", which is no TCP port'],
  ['{"65536":0}', 'has the key "65536", which is no TCP port'],
  ['{"4001":"0"}', 'gives port 4001 the label "0", expected 0, 49152 or 49153'],
  ['[]', 'is not an object'],
  ['null', 'is not an object'],
  ['', 'is no JSON'],
])('%s is no port map', async (text, why) => {
  await expect(readPortMap(text, chunks())).rejects.toMatchObject({
    message: expect.stringContaining(why),
    exit: 2,
  })
})
