import { isAtLeast } from '../../kubevirt/defaults.ts'
import { ANNOTATION } from '../../kubevirt/labels.ts'
import { timeOf } from '../../kubevirt/migration.ts'
import type { KubeObject } from '../../kubevirt/types.ts'
import type { Check } from '../check.ts'
import { type EvidenceItem, finding } from '../finding.ts'
import type { World } from '../subject.ts'
import { age, listing, shell } from '../words.ts'
import { evidenceOf } from './texts.ts'

/** A request that the API server refused before KubeVirt saw it. */
export const forbidden: Check = {
  name: 'permission to migrate',
  when: ({ said, troubled }) => troubled && said.some(({ row }) => row.code === 'MIG0001'),
  needs: [],
  judge(subject, { release }) {
    const said = subject.said.filter(({ row }) => row.code === 'MIG0001')
    const { user = '', verb = '', resource = '', group = '', namespace = '' } = said.at(-1)!.groups
    const old = release !== undefined && !isAtLeast(release, 1, 5)
    const role = old ? 'kubevirt.io:edit' : 'kubevirt.io:migrate'
    const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user)
    const who = account ? `--serviceaccount=${account[1]}:${account[2]}` : `--user=${user}`
    return [
      finding({
        code: 'MIG0001',
        title: `RBAC forbids it: ${user} may not ${verb} ${resource}${namespace ? ` in ${namespace}` : ''}`,
        objects: [subject.ref],
        evidence: evidenceOf(said, 2),
        cause: `The API server refused the request (API group ${group}) before KubeVirt saw it. ${old ? 'Up to v1.4 the roles admin and edit include it' : 'Since v1.5 the roles admin and edit no longer include it: the ClusterRole kubevirt.io:migrate does, and must be bound by hand'}`,
        remedy: [
          {
            text: `Bind the ClusterRole ${role} to ${user}${namespace ? ` in ${namespace}` : ''}`,
            command: shell`kubectl create rolebinding migrate --clusterrole=${role} ${who} -n ${namespace || 'NAMESPACE'}`,
          },
        ],
      }),
    ]
  },
}

/** A KubeVirt that is not (or no longer) rolled out; what front ends refuse to work with. */
export const deployed: Check = {
  name: 'KubeVirt is deployed',
  when: ({ kind, troubled }) => kind === 'vmi' || troubled,
  needs: ['KubeVirt'],
  judge(subject, { kubevirt }) {
    const phase = kubevirt?.status?.phase
    if (phase === undefined || phase === 'Deployed') return []
    const available = kubevirt?.status?.conditions?.find(({ type }) => type === 'Available')
    const why =
      available && available.status !== 'True'
        ? ` (Available=${available.status}, ${available.reason ?? ''})`
        : ''
    return [
      finding({
        code: 'MIG0003',
        title: `KubeVirt is not Deployed: its CR says ${phase}${why}`,
        status: 'warn',
        objects: [
          `kubevirt/${kubevirt?.metadata.namespace ?? ''}/${kubevirt?.metadata.name ?? ''}`,
        ],
        evidence: [
          { source: 'kubevirt', field: 'status.phase', value: phase },
          ...(available?.message
            ? [{ source: 'kubevirt', field: 'condition Available', value: available.message }]
            : []),
        ],
        cause:
          subject.kind === 'vmi' && !subject.troubled
            ? 'An installation or upgrade is in progress or stuck; front ends refuse to migrate until it is Deployed. The VM itself is not at fault; what keeps KubeVirt from being deployed is not in what was read'
            : 'While an upgrade is in progress virt-handlers restart and the workload updater stands still',
        confidence: 'likely',
        remedy: [
          {
            text: 'See what is not rolled out',
            command: shell`kubectl -n ${kubevirt?.metadata.namespace ?? 'kubevirt'} get kubevirt,deploy,ds,pods`,
          },
        ],
        endsByItself: 'unknown',
      }),
    ]
  },
}

/** A migration that virt-controller has never looked at: no leader, or caches that don't sync. */
export const untouched: Check = {
  name: 'virt-controller looks at the migration',
  when: ({ migration, phase }) => migration !== undefined && phase === '',
  needs: ['VirtualMachineInstanceMigration'],
  judge(subject, world) {
    const { migration } = subject
    if (migration?.metadata.annotations?.[ANNOTATION.latestApiVersion] !== undefined) return []
    const born = timeOf(migration?.metadata.creationTimestamp)
    const since = born === undefined ? 0 : world.now - born
    const controllers = world.pods.filter(
      ({ metadata }) => metadata.labels?.['kubevirt.io'] === 'virt-controller',
    )
    const down = controllers.filter(
      (pod) => !pod.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True'),
    )
    if (since < 10_000 && down.length === 0) return []
    const all = controllers.length > 0 && down.length === controllers.length
    const lease = leaseOf(world)
    return [
      finding({
        code: 'MIG0004',
        title: `virt-controller has not looked at the migration in ${age(since)}`,
        objects: [
          subject.ref,
          ...down.map((pod) => `pod/${pod.metadata.namespace ?? ''}/${pod.metadata.name}`),
        ],
        evidence: [
          {
            source: subject.ref,
            field: 'metadata.annotations',
            value: `${ANNOTATION.latestApiVersion} is missing`,
          },
          ...(lease ? [lease] : []),
        ],
        cause: all
          ? `No virt-controller is ready: ${listing(down.map((pod) => pod.metadata.name))}`
          : 'Its first pass writes an annotation that is missing: virt-controller is down, has no leader, or its caches do not sync',
        confidence: all ? 'certain' : 'likely',
        remedy: [
          {
            text: 'See the virt-controller pods and the Lease virt-controller',
            command: 'kubectl -n kubevirt get pods,lease -l kubevirt.io=virt-controller',
          },
        ],
        endsByItself: 'no',
      }),
    ]
  },
}

interface Lease extends KubeObject {
  spec: { holderIdentity?: string; renewTime?: string }
}

/** Who leads virt-controller, and since when it has not said so. */
function leaseOf({ evidence, now }: World): EvidenceItem | undefined {
  const lease = evidence.objects
    .list<Lease>('Lease')
    .find(({ metadata }) => metadata.name === 'virt-controller')
  const renewed = timeOf(lease?.spec.renewTime)
  if (!lease || renewed === undefined) return undefined
  const value = `held by ${lease.spec.holderIdentity ?? 'nobody'}, renewed ${age(now - renewed)} ago`
  return {
    source: `lease/${lease.metadata.namespace ?? ''}/virt-controller`,
    field: 'spec',
    value,
    time: renewed,
  }
}

/** The same VMIM counted by two replicas of virt-controller. */
export const countedTwice: Check = {
  name: 'metrics of migrations',
  when: ({ said }) => said.some(({ row }) => row.code === 'MIG0007'),
  needs: [],
  judge(subject) {
    const samples = subject.said.filter(({ row }) => row.code === 'MIG0007')
    const label = (labels: string | undefined, name: string) =>
      new RegExp(`${name}="([^"]*)"`).exec(labels ?? '')?.[1]
    const byMigration = Map.groupBy(samples, ({ groups }) =>
      [groups.metric, label(groups.labels, 'namespace'), label(groups.labels, 'vmim')].join('/'),
    )
    const pods = new Set(samples.map(({ groups }) => label(groups.labels, 'pod')))
    if (byMigration.size === samples.length || pods.size < 2) return []
    const names = [...new Set(samples.map(({ groups }) => label(groups.labels, 'vmim') ?? ''))]
    return [
      finding({
        code: 'MIG0007',
        title: `Migrations are counted twice: ${samples.length} samples, but ${byMigration.size} distinct VMIM${byMigration.size === 1 ? '' : 's'} (${listing(names)})`,
        status: 'warn',
        evidence: evidenceOf(samples, 2),
        cause: `Each virt-controller pod exports the metric for itself (${listing([...pods].map((pod) => pod ?? '?'))}); a sum or an alert over pods counts duplicates`,
        remedy: [{ text: 'Count distinct VMIMs: max by (namespace, vmi, vmim) before summing' }],
      }),
    ]
  },
}
