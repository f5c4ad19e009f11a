import { request as httpsRequest } from 'node:https'
import { parse } from 'yaml'
import type { AnyApiServer } from '../../../src/lab/real-api/server.ts'

interface Request {
  method: string
  path: string
  body?: string | undefined
  headers: Record<string, string>
  as: string
}

interface Answer {
  status: number
  warnings: string[]
  type: string
  text: string
}

/** Requests as they are written, to an API server, as one of its users (or as nobody, `anonymous`). */
export interface Client {
  send(request: Request): Promise<Answer>
  /** The first lines of an answer that goes on; fewer when it ends. */
  lines(request: Request, count: number): Promise<Answer>
}

const PATIENCE = 15_000

export function createClient(server: AnyApiServer): Client {
  const { users } = parse(server.kubeconfig('admin')) as {
    users: { name: string; user: { token: string } }[]
  }
  const ask = (
    { method, path, body, headers, as }: Request,
    read: (response: NodeJS.ReadableStream) => Promise<string>,
  ) =>
    new Promise<Answer>((resolve, reject) => {
      const token = users.find(({ name }) => name === as)?.user.token
      if (token === undefined && as !== 'anonymous') throw new Error(`no user ${as}`)
      const request = httpsRequest(`${server.url}${path}`, {
        method,
        ca: server.caCert,
        agent: false,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
          ...headers,
        },
      })
      const late = () => request.destroy(new Error(`${method} ${path}: no answer`))
      const patience = setTimeout(late, PATIENCE)
      request.once('close', () => clearTimeout(patience))
      request.on('error', reject)
      request.on('response', (response) => {
        const { statusCode: status = 0, headers } = response
        const warnings = (headers['warning'] as string | undefined)?.split(/, (?=299 )/) ?? []
        const type = headers['content-type'] ?? ''
        read(response).then((text) => resolve({ status, warnings, type, text }), reject)
      })
      request.end(body)
    })
  return {
    send: (request) => ask(request, readAll),
    lines: (request, count) => ask(request, (response) => readLines(response, count)),
  }
}

async function readAll(response: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

async function readLines(response: NodeJS.ReadableStream, count: number): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk
    if (text.split('\n').length > count) break
  }
  return text.split('\n', count).filter(Boolean).join('\n')
}
