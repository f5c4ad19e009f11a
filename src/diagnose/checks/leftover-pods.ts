import { LABEL } from '../../kubevirt/labels.ts'
import { phaseOf, timeOf } from '../../kubevirt/migration.ts'
import { isPodFinal } from '../../kubevirt/pods.ts'
import type { Pod } from '../../kubevirt/types.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { listing, shell } from '../words.ts'
import { evidenceOf } from './texts.ts'

/** Launcher pods of earlier migrations that have not ended: no target pod is made while two live. */
export const lingering: Check = {
  name: 'launcher pods of earlier migrations',
  when: ({ launchers }) => launchers.length > 1,
  needs: ['Pod'],
  judge(subject, world) {
    const old = subject.launchers.filter((pod) => isLeftOver(pod, subject) && !isPodFinal(pod))
    return old.flatMap((pod) => sidecar(pod, subject) ?? stillRunning(pod, subject, world))
  },
}

/** Not the VM's current pod, and not the target of the migration that is looked at. */
function isLeftOver(pod: Pod, { vmi, targetPods, phase, sourcePod, migration }: Subject): boolean {
  if (pod === sourcePod && phase !== 'Succeeded') return false
  const current = pod.spec.nodeName !== undefined && pod.spec.nodeName === vmi?.status?.nodeName
  if (current) return false
  // A failed migration's own target pod counts for the next one only.
  return !targetPods.includes(pod) || (migration !== undefined && phase === 'Succeeded')
}

function sidecar(pod: Pod, subject: Subject): Finding[] | undefined {
  const statuses = pod.status?.containerStatuses ?? []
  const compute = statuses.find(({ name }) => name === 'compute')
  const alive = statuses.filter(({ name, state }) => name !== 'compute' && state?.running)
  if (!compute?.state?.terminated || alive.length === 0) return undefined
  const names = listing(alive.map(({ name }) => name))
  return [
    finding({
      code: 'MIG9003',
      title: `The old pod ${pod.metadata.name} on ${pod.spec.nodeName ?? '?'} is kept alive only by ${names}`,
      status: subject.phase === 'Pending' ? 'fail' : 'warn',
      objects: [
        `pod/${subject.namespace}/${pod.metadata.name}`,
        `vmi/${subject.namespace}/${subject.name}`,
      ],
      evidence: [
        {
          source: `pod/${subject.namespace}/${pod.metadata.name}`,
          field: 'containers',
          value: `compute ended (${compute.state.terminated.reason ?? compute.state.terminated.exitCode}), ${names} runs`,
        },
      ],
      cause: `The VM has moved (it runs on ${subject.vmi?.status?.nodeName ?? '?'}), the sidecar was not told to end; it blocks later migrations: virt-controller counts multiple pods`,
      remedy: [
        {
          text: 'Delete the old pod',
          command: shell`kubectl -n ${subject.namespace} delete pod ${pod.metadata.name}`,
        },
        { text: 'Upgrade KubeVirt, which ends istio-proxy itself (quitquitquit)' },
      ],
      endsByItself: 'no',
    }),
  ]
}

function stillRunning(pod: Pod, subject: Subject, world: World): Finding[] {
  const uid = pod.metadata.labels?.[LABEL.migrationJobUid]
  const maker = world.migrations.find(({ metadata }) => metadata.uid === uid)
  const failed = maker !== undefined && phaseOf(maker) === 'Failed'
  if (subject.kind === 'vmi' && maker === undefined) return []
  if (subject.phase === 'Succeeded') {
    const ended = timeOf(subject.state?.endTimestamp)
    if (ended === undefined || world.now - ended < 600_000) return []
  }
  const waits = ['', 'Pending'].includes(subject.phase) && subject.kind === 'migration'
  if (!waits && subject.phase !== 'Succeeded') return []
  const deleting = pod.metadata.deletionTimestamp !== undefined
  return [
    finding({
      code: 'MIG9001',
      // One that failed ends its launcher by itself, soon.
      status: waits && !failed ? 'fail' : 'warn',
      title: `${failed ? `The target pod ${pod.metadata.name} of the earlier, failed migration ${maker.metadata.name}` : `The launcher pod ${pod.metadata.name} of an earlier migration`} still runs on ${pod.spec.nodeName ?? '?'}${waits ? `; ${subject.migration?.metadata.name} waits for its end` : ''}`,
      objects: [`pod/${subject.namespace}/${pod.metadata.name}`, subject.ref],
      evidence: [
        {
          source: `pod/${subject.namespace}/${pod.metadata.name}`,
          field: 'status.phase',
          value: `${pod.status?.phase ?? ''}${deleting ? `, being deleted since ${pod.metadata.deletionTimestamp}` : ''}`,
        },
        ...evidenceOf(
          subject.said.filter(({ row }) => row.code === 'MIG9001'),
          1,
        ),
      ],
      cause: `While two launcher pods of a VM have not ended, no target pod is created; there is no event and no condition. ${failed ? 'A target launcher that got no guest exits by itself within 5 min (240 to 360 s)' : deleting ? 'It is being deleted: if its node is gone, nobody confirms that' : 'It should have ended'}`,
      remedy: [
        {
          text: failed
            ? 'Wait for it to end'
            : 'See why it does not end (node gone, finalizer, hung storage)',
        },
        {
          text: 'Or delete it, once it is sure that the VM does not run in it',
          command: shell`kubectl -n ${subject.namespace} delete pod ${pod.metadata.name}`,
          risk: 'if the VM does run in it, it is killed',
        },
      ],
      endsByItself: failed ? 'yes' : 'unknown',
    }),
  ]
}

/** virt-controller says that several pods run, and the API shows one. */
export const staleCount: Check = {
  name: 'what virt-controller counts',
  when: ({ said, phase }) => phase === 'Pending' && said.some(({ row }) => row.code === 'MIG9001'),
  needs: ['Pod'],
  judge(subject) {
    const live = subject.launchers.filter((pod) => !isPodFinal(pod))
    const over = subject.launchers.filter(isPodFinal)
    if (live.length > 1 || over.length === 0) return []
    const said = subject.said.filter(({ row }) => row.code === 'MIG9001')
    const [pod] = over
    const active = Object.keys(subject.vmi?.status?.activePods ?? {}).length
    return [
      finding({
        code: 'MIG9006',
        title: `virt-controller counts multiple pods of ${subject.name}, the API shows ${live.length} alive: ${listing(over.map((p) => p.metadata.name))} is ${pod!.status?.phase}`,
        status: 'warn',
        objects: [subject.ref, ...over.map((p) => `pod/${subject.namespace}/${p.metadata.name}`)],
        evidence: evidenceOf(said, 1),
        cause: `Its log line is older than the end of that pod, or its cache is stale${active > 1 ? `; that the VMI still lists ${active} pods in its status says nothing, finished ones stay there` : ''}`,
        confidence: 'possible',
        remedy: [
          {
            text: 'If the line is newer than the pod’s end: delete the completed pod',
            command: shell`kubectl -n ${subject.namespace} delete pod ${pod!.metadata.name}`,
          },
          { text: 'Or restart virt-controller, which reads everything anew' },
        ],
        endsByItself: 'unknown',
      }),
    ]
  },
}

/** Network plugins that keep the address with the finished pod: the VM is unreachable after its move. */
export const sharedAddress: Check = {
  name: 'addresses of finished launcher pods',
  when: ({ launchers, vmi }) => launchers.length > 1 && vmi?.status?.phase === 'Running',
  needs: ['Pod'],
  judge(subject) {
    const current = subject.launchers.find(
      (pod) =>
        pod.status?.phase === 'Running' && pod.spec.nodeName === subject.vmi?.status?.nodeName,
    )
    const ip = current?.status?.podIP
    const ghosts = subject.launchers.filter(
      (pod) => isPodFinal(pod) && ip !== undefined && pod.status?.podIP === ip,
    )
    const [ghost] = ghosts
    if (!current || !ghost) return []
    return [
      finding({
        code: 'MIG9004',
        title: `The running pod ${current.metadata.name} and the ${ghost.status?.phase === 'Succeeded' ? 'Completed' : 'Failed'} pod ${listing(ghosts.map((pod) => pod.metadata.name))} have the same IP ${ip}`,
        status: 'warn',
        objects: ghosts.map((pod) => `pod/${subject.namespace}/${pod.metadata.name}`),
        evidence: [
          {
            source: `pod/${subject.namespace}/${ghost.metadata.name}`,
            field: 'status.podIP',
            value: `${ip}, phase ${ghost.status?.phase}`,
          },
        ],
        cause:
          'The VM has moved, but network plugins with fixed addresses (kube-ovn) may keep the port bound to the finished pod: the VM is unreachable, above all after a second migration',
        confidence: 'likely',
        remedy: [
          {
            text: 'Delete the finished pod',
            command: shell`kubectl -n ${subject.namespace} delete pod ${ghost.metadata.name}`,
          },
        ],
        endsByItself: 'no',
      }),
    ]
  },
}

const KEPT = 5

/** KubeVirt keeps the last five migrations of a VM and with each its finished pod; more means that it no longer collects. */
export const uncollected: Check = {
  name: 'finished launcher pods',
  when: ({ launchers, vmi }) => launchers.length > KEPT && vmi !== undefined,
  needs: ['Pod'],
  judge(subject) {
    const finished = subject.launchers.filter(isPodFinal)
    if (finished.length <= KEPT + 1) return []
    return [
      finding({
        code: 'MIG9014',
        title: `${finished.length} finished launcher pods of ${subject.name} are kept, where ${KEPT} are usual`,
        status: 'warn',
        objects: finished.slice(0, 4).map((pod) => `pod/${subject.namespace}/${pod.metadata.name}`),
        cause:
          'KubeVirt collects them in the wake of a finished migration; it has not, or something else made them',
        confidence: 'possible',
        remedy: [
          {
            text: 'Delete the finished ones; they hold nothing but their objects (and claims that are being deleted)',
            command: shell`kubectl -n ${subject.namespace} delete pod -l kubevirt.io/created-by=${subject.vmi?.metadata.uid} --field-selector=status.phase==Succeeded`,
          },
        ],
        endsByItself: 'unknown',
      }),
    ]
  },
}
