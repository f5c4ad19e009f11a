import { replyError } from '../reply.ts'
import type { SpecialRoute } from '../router.ts'
import { internalError, methodNotAllowed, StatusError } from '../status.ts'
import { demandContainer, demandKubelet, demandPod, kubeletRequest } from './kubelet.ts'
import { checkLogOptions } from './log-options.ts'

/** What a kubelet is asked with; the rest of the query is this server's own. */
const PASSED = [
  'follow',
  'previous',
  'sinceSeconds',
  'sinceTime',
  'timestamps',
  'tailLines',
  'limitBytes',
]

/** `GET pods/NAME/log`: what the node's kubelet has of it, as it comes. */
export const logRoute: SpecialRoute = {
  group: '',
  resource: 'pods',
  subresource: 'log',
  handle(api, { info, query, response }) {
    if (info.verb !== 'get') throw methodNotAllowed()
    checkLogOptions(info.name!, query)
    const pod = demandPod(api, info.namespace, info.name!)
    const container = demandContainer(pod, query.get('container'))
    // A pod that runs nowhere yet has said nothing.
    if (!pod.spec.nodeName) return void response.writeHead(204).end()
    const kubelet = demandKubelet(api, pod)
    const passed = new URLSearchParams([...query].filter(([name]) => PASSED.includes(name)))
    const path = `/containerLogs/${info.namespace}/${info.name}/${container}?${passed}`
    const outgoing = kubeletRequest(api, kubelet, path)
    outgoing.on('response', (answer) => {
      if (answer.statusCode !== 200) {
        collect(answer).then((text) =>
          replyError(response, kubeletRefusal(answer.statusCode, text)),
        )
        return
      }
      response.writeHead(200, { 'content-type': 'text/plain' })
      response.flushHeaders()
      answer.pipe(response)
      answer.once('error', () => response.destroy())
    })
    outgoing.on('error', (err) => {
      replyError(
        response,
        internalError(`Get "https://${kubelet.host}:${kubelet.port}${path}": ${err.message}`),
      )
    })
    response.once('close', () => outgoing.destroy())
    outgoing.end()
  },
}

async function collect(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8').trim()
}

function kubeletRefusal(code = 500, message: string): StatusError {
  const reasons: Record<number, string> = { 400: 'BadRequest', 404: 'NotFound' }
  return new StatusError(code, reasons[code] ?? 'InternalError', message, {})
}
