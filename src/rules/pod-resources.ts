import { ownValue } from '../kubevirt/own-value.ts'
import { type Amount, add, larger, parseQuantity, ZERO } from '../kubevirt/quantity.ts'
import type { Container, Pod, Quantity } from '../kubevirt/types.ts'

/** The sum that scheduler and quota go by. */
export function podResources(pod: Pod, kind: 'requests' | 'limits'): Record<string, Amount> {
  const total: Record<string, Amount> = {}
  for (const container of pod.spec.containers) addTo(total, container, kind)
  const started: Record<string, Amount> = {}
  const peaks: Record<string, Amount>[] = []
  for (const container of pod.spec.initContainers ?? []) {
    // A restartable one goes on beside those that follow; an ordinary one is gone before the next.
    if (container.restartPolicy === 'Always') {
      addTo(total, container, kind)
      addTo(started, container, kind)
      peaks.push({ ...started })
    } else {
      const peak = { ...started }
      addTo(peak, container, kind)
      peaks.push(peak)
    }
  }
  for (const peak of peaks)
    for (const [resource, amount] of Object.entries(peak))
      total[resource] = larger(ownValue(total, resource) ?? ZERO, amount)
  const overhead = pod.spec['overhead'] as Record<string, Quantity> | undefined
  for (const [resource, quantity] of Object.entries(overhead ?? {}))
    if (kind === 'requests' || ownValue(total, resource))
      total[resource] = add(ownValue(total, resource) ?? ZERO, parseQuantity(quantity) ?? ZERO)
  return total
}

function addTo(total: Record<string, Amount>, container: Container, kind: 'requests' | 'limits') {
  for (const [resource, quantity] of Object.entries(container.resources?.[kind] ?? {}))
    total[resource] = add(ownValue(total, resource) ?? ZERO, parseQuantity(quantity) ?? ZERO)
}
