import type { Pod, Toleration } from '../../../kubevirt/types.ts'
import type { ApiObject } from '../kind.ts'
import { asPod } from '../kinds/pod.ts'
import { forbidden } from '../status.ts'
import type { AdmissionHook, AdmissionRequest } from './hook.ts'

/**
 * What Kubernetes' plug-ins Priority and DefaultTolerationSeconds add to a pod: the number of its priority class when it is
 * new, and that it stays for five minutes on a node that is not ready or not reached.
 */
export const podDefaultsAdmission: AdmissionHook = {
  handles: ({ kind, operation, subresource }) =>
    kind.kind === 'Pod' && operation !== 'DELETE' && subresource === '',
  mutate(request) {
    const pod = asPod(request.object)
    const { oldObject } = request
    const priority = oldObject ? priorityBefore(asPod(oldObject)) : priorityOf(request, pod)
    const spec = { ...priority, ...pod.spec, tolerations: tolerationsOf(pod) }
    return { ...pod, spec } as unknown as ApiObject
  },
}

/** Who updates a pod need not say it again. */
function priorityBefore({ spec: { priority, preemptionPolicy } }: Pod): object {
  return {
    ...(priority !== undefined && { priority }),
    ...(preemptionPolicy !== undefined && { preemptionPolicy }),
  }
}

interface PriorityClass {
  metadata: { name: string }
  value?: number
  globalDefault?: boolean
  preemptionPolicy?: string
}

function priorityOf({ read, kind, name }: AdmissionRequest, { spec }: Pod) {
  const classes = read.list({ group: 'scheduling.k8s.io', plural: 'priorityclasses' })
  const all = classes as unknown as PriorityClass[]
  const asked = spec['priorityClassName'] as string | undefined
  const found = asked
    ? all.find(({ metadata }) => metadata.name === asked)
    : all.find(({ globalDefault }) => globalDefault)
  if (asked && !found) throw forbidden(kind, name, `no PriorityClass with name ${asked} was found`)
  const { value: priority = 0, preemptionPolicy = 'PreemptLowerPriority' } = found ?? {}
  return {
    ...(found && { priorityClassName: found.metadata.name }),
    priority,
    preemptionPolicy: spec['preemptionPolicy'] ?? preemptionPolicy,
  }
}

function tolerationsOf({ spec }: Pod): Toleration[] {
  const { tolerations = [] } = spec
  const added = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']
    .filter((key) => !tolerations.some((one) => tolerates(one, key)))
    .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }))
  return [...tolerations, ...added]
}

function tolerates({ key = '', effect = '' }: Toleration, taint: string): boolean {
  return (key === '' || key === taint) && (effect === '' || effect === 'NoExecute')
}
