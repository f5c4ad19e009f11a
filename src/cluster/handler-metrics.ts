import { request } from 'node:https'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { EXIT, MigError } from '../errors.ts'
import { HANDLER_PORT, handlerMetricsPath } from '../kubevirt/metrics.ts'
import { isStatus } from './api-error.ts'
import type { Cluster } from './cluster.ts'
import { portForward } from './port-forward.ts'

/**
 * A virt-handler's metrics, in Prometheus' text format, through the API server's proxy; where that refuses to go to the
 * pod's address, as it does to loopback ones, by port-forward, whose way is the kubelet. The pod's certificate is not
 * verified in either. @throws MigError: refused (8), no such pod (9), anything else (1)
 */
export async function readHandlerMetrics(
  cluster: Cluster,
  { namespace, pod }: { namespace: string; pod: string },
  signal: AbortSignal,
): Promise<string> {
  try {
    return await cluster.text({ path: handlerMetricsPath(namespace, pod), signal })
  } catch (err) {
    if (!isStatus(err, 400)) throw err
    const stream = await portForward(cluster, { namespace, pod, port: HANDLER_PORT }, signal)
    return await get(stream, pod, signal).finally(() => stream.destroy())
  }
}

function get(socket: Duplex, pod: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) =>
      reject(new MigError(EXIT.error, `${pod} gives no metrics: ${cause.message}`, { cause }))
    // Handed on to tls.connect, which knows `socket`.
    const connection = { socket, rejectUnauthorized: false, agent: false } as object
    const asked = request({ host: pod, path: '/metrics', signal, ...connection }, (answer) => {
      if (answer.statusCode === 200) text(answer).then(resolve, fail)
      else fail(new Error(`HTTP status ${answer.statusCode}`))
    })
    asked.on('error', fail)
    asked.end()
  })
}
