import type { Evidence, Gap } from '../../evidence/evidence.ts'
import { timeOf } from '../../kubevirt/migration.ts'
import type { Pod } from '../../kubevirt/types.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { age, listing, shell, short } from '../words.ts'

/** virt-handler of a node that a migration needs is not ready. */
export const handlers: Check = {
  name: 'virt-handler of both nodes',
  when: ({ kind, phase, troubled }) => kind === 'migration' && troubled && phase !== 'Failed',
  needs: ['Pod'],
  unread: (subject, { evidence }) =>
    neededNodes(subject).length > 0 ? componentPodsGap(evidence) : undefined,
  judge(subject, world) {
    const wanted = neededNodes(subject)
    return wanted.flatMap(({ node, role }) => {
      const pod = world.handlers.get(node)
      if (!pod) return isComplete(world, node) ? [missing(subject, node, role)] : []
      return isReady(pod) ? [] : [notReady(subject, world, pod, node, role)]
    })
  },
}

type Role = 'source' | 'target'

function neededNodes(subject: Subject): { node: string; role: Role }[] {
  const { phase, sourceNode, targetNode } = subject
  const target: Role[] = ['PreparingTarget', 'TargetReady', 'Running', 'Scheduled'].includes(phase)
    ? ['target']
    : []
  const source: Role[] = ['TargetReady', 'Running', 'WaitingForSync', 'Synchronizing'].includes(
    phase,
  )
    ? ['source']
    : []
  return [...target, ...source].flatMap((role) => {
    const node = role === 'target' ? targetNode : sourceNode
    return node ? [{ node, role }] : []
  })
}

/** An archive need not hold every virt-handler: one is missed only where all other nodes have theirs. */
function isComplete({ nodes, handlers }: World, missing: string): boolean {
  const others = nodes.filter(({ metadata }) => metadata.name !== missing)
  return others.length > 0 && others.every(({ metadata }) => handlers.has(metadata.name))
}

function notReady(subject: Subject, world: World, pod: Pod, node: string, role: Role): Finding {
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready')
  const since = timeOf(ready?.lastTransitionTime)
  const how = statesOf(pod)
  const event = world.lookup
    .events(pod.metadata.namespace ?? '', 'Pod', pod.metadata.name)
    .filter(({ type }) => type === 'Warning')
    .at(-1)
  const preparing = role === 'target' && ['Scheduled', 'PreparingTarget'].includes(subject.phase)
  return finding({
    code: preparing ? 'MIG4006' : subject.phase === 'Running' ? 'MIG0005' : 'MIG4021',
    title: `virt-handler on ${node}, the ${role === 'source' && !subject.targetNode ? 'VM’s node' : `${role} node`}, is not ready (${how})${preparing ? ': nobody prepares the target' : ''}`,
    objects: [
      `pod/${pod.metadata.namespace ?? ''}/${pod.metadata.name}`,
      `node/${node}`,
      subject.ref,
    ],
    evidence: [
      {
        source: `pod/${pod.metadata.namespace ?? ''}/${pod.metadata.name}`,
        field: 'status',
        value: how,
        ...(since !== undefined && { time: since }),
      },
      ...(event
        ? [
            {
              source: `pod/${pod.metadata.namespace ?? ''}/${pod.metadata.name}`,
              field: `event ${event.reason ?? ''}`,
              value: short(event.message ?? ''),
            },
          ]
        : []),
    ],
    cause: `${event ? `${short(event.message ?? '')}. ` : ''}In ${subject.phase} the migration waits for it${since !== undefined ? `, not ready for ${age(world.now - since)}` : ''}; ${noTimeout(subject.phase)}`,
    remedy: [
      {
        text: 'Restore virt-handler on that node',
        command: /ContainerCreating|Image/.test(how)
          ? shell`kubectl -n ${pod.metadata.namespace ?? 'kubevirt'} describe pod ${pod.metadata.name}`
          : shell`kubectl -n ${pod.metadata.namespace ?? 'kubevirt'} logs ${pod.metadata.name} --previous`,
      },
      ...(preparing
        ? [
            {
              text: 'Or delete the target pod, which fails the migration; deleting the VMIM alone takes no effect in this phase',
              command: shell`kubectl -n ${subject.namespace} delete pod ${subject.targetPod?.metadata.name ?? 'TARGET'}`,
              risk: 'the attempt ends',
            },
          ]
        : []),
    ],
    endsByItself: subject.phase === 'Running' ? 'unknown' : 'no',
    weight: 22,
  })
}

function missing(subject: Subject, node: string, role: Role): Finding {
  return finding({
    code: 'MIG0005',
    title: `No virt-handler pod runs on ${node}, the ${role} node`,
    objects: [`node/${node}`, subject.ref],
    evidence: [
      { source: `node/${node}`, value: 'none of the virt-handler pods that were read is on it' },
    ],
    cause: `In ${subject.phase} the migration waits for it; ${noTimeout(subject.phase)}`,
    confidence: 'likely',
    remedy: [
      {
        text: 'See why the DaemonSet virt-handler has no pod there',
        command: 'kubectl get pods -A -l kubevirt.io=virt-handler -o wide',
      },
    ],
    endsByItself: 'no',
  })
}

function noTimeout(phase: string): string {
  return phase === 'Running' ? 'the copy’s own limits apply' : 'no time-out covers this phase'
}

/** Why KubeVirt's own pods are not known, where they are not. */
export function componentPodsGap({ gaps }: Evidence): Gap | undefined {
  return gaps.find(({ what }) => what.startsWith('Pod of namespace '))
}

/** What its containers wait for, or how they ended. */
export function statesOf(pod: Pod): string {
  const states = (pod.status?.containerStatuses ?? []).flatMap(({ name, state }) =>
    state?.waiting?.reason
      ? [`${name}: ${state.waiting.reason}`]
      : state?.terminated
        ? [`${name}: exited ${state.terminated.exitCode}`]
        : [],
  )
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready')
  return listing(states.length > 0 ? states : [`Ready=False ${ready?.reason ?? ''}`.trim()])
}

export function isReady(pod: Pod): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready')
  return ready ? ready.status === 'True' : pod.status?.phase === 'Running'
}
