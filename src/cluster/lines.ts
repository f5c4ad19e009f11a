import type { Readable } from 'node:stream'

/** The lines of a UTF-8 stream without their line ends; a last line without one counts. Back-pressure reaches the sender. */
export async function* linesOf(stream: Readable): AsyncGenerator<string, void, undefined> {
  let rest = ''
  stream.setEncoding('utf8')
  for await (const chunk of stream as AsyncIterable<string>) {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop()!
    for (const line of parts) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
  if (rest) yield rest
}
