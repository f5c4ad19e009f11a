import type { Clock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { CONNECTION } from '../evidence/cluster/probe-connect.ts'
import {
  type ProbePlan,
  planProbes,
  type Standing,
  whyNotLive,
} from '../evidence/cluster/probe-plan.ts'
import { probeProxies } from '../evidence/cluster/probe-proxies.ts'
import type { Reader } from '../evidence/cluster/reader.ts'
import type { Rung } from '../evidence/probes.ts'
import { stateOf } from '../kubevirt/migration.ts'
import type { Reference } from '../kubevirt/reference.ts'
import { diagnoseInFlight, diagnoseLive } from './live.ts'
import type { DiagnosisReport } from './report.ts'

export interface ProxyOptions {
  /** Default: the cluster's. */
  namespace?: string | undefined
  rung: Rung
  /** Read logs too. */
  logs?: boolean
  clock: Clock
  signal: AbortSignal
  /** Is told what is about to be done on nodes, a line each. */
  announce: (line: string) => void
}

/**
 * Diagnoses one VM or migration, or all migrations of a namespace that are in flight, and looks at their proxies on the
 * nodes, as far as the rung goes.
 * @throws MigError as diagnoseLive does
 */
export function diagnoseProxy(
  cluster: Cluster,
  reference: Reference | undefined,
  options: ProxyOptions,
): Promise<DiagnosisReport> {
  return withPlans(cluster, reference, options, async (reader, plans, migrations) => {
    if (options.rung === 'connect') noteUnconnected(reader, plans, migrations)
    reader.probes = await Promise.all(
      plans.map((plan) => probeProxies(cluster, reader, plan, options)),
    )
  })
}

/** Who asked for a connection is told why none was made. */
function noteUnconnected(reader: Reader, plans: ProbePlan[], migrations: Standing[]): void {
  const gap = (detail: string) => reader.gap({ what: CONNECTION, why: 'unreadable', detail })
  if (migrations.length === 0) gap('no migration is in flight')
  for (const { migration, vmi } of migrations)
    if (!plans.some((plan) => plan.migration === migration))
      gap(
        `${migration.metadata.name}: ${whyNotLive(migration, stateOf(migration, vmi)) ?? 'it was left out'}`,
      )
}

/** What that would do on nodes; nothing of it is done. @throws MigError as diagnoseLive does */
export async function planProxy(
  cluster: Cluster,
  reference: Reference | undefined,
  options: Omit<ProxyOptions, 'rung' | 'announce' | 'logs'>,
): Promise<ProbePlan[]> {
  const found: ProbePlan[] = []
  await withPlans(cluster, reference, options, async (_reader, plans) => void found.push(...plans))
  return found
}

/** So many migrations are looked at in one run; the cluster's limit for those that run at once is 5 by default. */
const PROBED = 10

function withPlans(
  cluster: Cluster,
  reference: Reference | undefined,
  {
    namespace = cluster.namespace,
    logs = false,
    clock,
    signal,
  }: Omit<ProxyOptions, 'rung' | 'announce'>,
  use: (reader: Reader, plans: ProbePlan[], migrations: Standing[]) => Promise<void>,
): Promise<DiagnosisReport> {
  const look = (reader: Reader, migrations: Standing[]) => {
    const plans = migrations.flatMap(
      ({ migration, vmi }) => planProbes(reader.objects, migration, vmi) ?? [],
    )
    if (plans.length > PROBED)
      reader.gap({
        what: 'sockets of virt-handler',
        why: 'too-large',
        detail: `of ${plans.length} migrations the proxies of ${PROBED} were looked at`,
      })
    return use(reader, plans.slice(0, PROBED), migrations)
  }
  const options = { namespace, now: clock.now(), signal, look }
  return reference
    ? diagnoseLive(cluster, reference, { ...options, logs })
    : diagnoseInFlight(cluster, options)
}
