import type { ServerResponse } from 'node:http'
import type { ContainerLog, LogQuery } from './container-log.ts'

/** Sends a container's log as a kubelet does; one that is followed ends when its container has ended. */
export function sendLog(
  log: ContainerLog,
  query: URLSearchParams,
  response: ServerResponse,
  now: number,
): void {
  const wanted = logQuery(query)
  let left = Number(query.get('limitBytes') ?? Number.POSITIVE_INFINITY)
  const send = (line: string): boolean => {
    const bytes = Buffer.from(`${line}\n`).subarray(0, left)
    left -= bytes.length
    if (bytes.length > 0) response.write(bytes)
    return left > 0
  }
  response.writeHead(200, { 'content-type': 'text/plain' })
  response.flushHeaders()
  const isOver = !log.read(wanted, now).every(send)
  if (isOver || query.get('follow') !== 'true') return void response.end()
  const stop = log.follow(
    wanted,
    (line) => {
      if (!send(line)) response.end()
    },
    () => response.end(),
  )
  response.once('close', stop)
}

function logQuery(query: URLSearchParams): LogQuery {
  const [tailLines, sinceSeconds] = [query.get('tailLines'), query.get('sinceSeconds')]
  const sinceTime = query.get('sinceTime')
  return {
    ...(tailLines !== null && { tailLines: Number(tailLines) }),
    ...(sinceSeconds !== null && { sinceSeconds: Number(sinceSeconds) }),
    ...(sinceTime !== null && { sinceTime }),
    timestamps: query.get('timestamps') === 'true',
  }
}
