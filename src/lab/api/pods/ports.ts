import type { Pod } from '../../../kubevirt/types.ts'

/** Of a lab's pod: a JSON object of the ports that its processes really have, by those that they are known under. */
export const PORTS_ANNOTATION = 'lab.kubectl-mig.io/ports'

/** In a lab all pods share one machine, so a pod's port may be another one in truth. */
export function realPort({ metadata }: Pod, port: number): number {
  const text = metadata.annotations?.[PORTS_ANNOTATION]
  if (text === undefined) return port
  try {
    const real = (JSON.parse(text) as Record<string, unknown>)[String(port)]
    return typeof real === 'number' ? real : port
  } catch {
    return port
  }
}
