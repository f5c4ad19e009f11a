import type { Pod } from '../../../kubevirt/types.ts'
import { LAB_ANNOTATION } from '../../annotations.ts'

/** In a lab all pods share one machine, so a pod's port may be another one in truth. */
export function realPort({ metadata }: Pod, port: number): number {
  const text = metadata.annotations?.[LAB_ANNOTATION.ports]
  if (text === undefined) return port
  try {
    const real = (JSON.parse(text) as Record<string, unknown>)[String(port)]
    return typeof real === 'number' ? real : port
  } catch {
    return port
  }
}
