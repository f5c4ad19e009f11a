import { LEAVES } from '../evidence/cluster/probe-connect.ts'
import { APART_MS, type ProbePlan, plannedCommands } from '../evidence/cluster/probe-plan.ts'
import type { Rung } from '../evidence/probes.ts'
import { moment } from './words.ts'

/** What `diagnose proxy --dry-run` answers (schema/probe-plan.json). */
export interface ProbePlanReport {
  apiVersion: 'kubectl-mig/v1alpha1'
  kind: 'ProbePlan'
  generatedAt: string
  /** As far as it was asked for. */
  probe: Rung
  migrations: PlannedMigration[]
}

export interface PlannedMigration {
  /** `vmim/NS/NAME`. */
  ref: string
  /** With --probe=exec and --probe=connect. Each is read-only and ended after five seconds. */
  commands: PlannedCommand[]
  /** With --probe=connect. */
  connections: PlannedConnection[]
  /** Why there would be no connection now; absent when there would. */
  noConnection?: string
}

export interface PlannedCommand {
  /** `pod/NS/NAME`. */
  pod: string
  container: string
  node: string
  role: 'source' | 'target'
  command: readonly string[]
  reads: string
  /** How often, and how far apart. */
  times: number
  apartSeconds?: number
}

interface PlannedConnection {
  kind: 'tcp' | 'tls'
  /** The pod that it comes from, or the way it takes. */
  from: string
  to: string
  leaves: string
}

export function probePlanReport(
  plans: readonly ProbePlan[],
  probe: Rung,
  now: number,
): ProbePlanReport {
  return {
    apiVersion: 'kubectl-mig/v1alpha1',
    kind: 'ProbePlan',
    generatedAt: moment(now),
    probe,
    migrations: plans.map(planned),
  }
}

function planned({ migration, sides, connect }: ProbePlan): PlannedMigration {
  const { namespace = '', name } = migration.metadata
  const podOf = ({ pod }: (typeof sides)[number]) =>
    `pod/${pod.metadata.namespace ?? ''}/${pod.metadata.name}`
  const commands = sides.flatMap((side) =>
    plannedCommands(side).map(({ argv, container, reads }): PlannedCommand => {
      const isCounted = argv.includes('established')
      return {
        pod: podOf(side),
        container,
        node: side.node,
        role: side.role,
        command: argv,
        reads,
        times: isCounted ? 2 : 1,
        ...(isCounted && { apartSeconds: APART_MS / 1000 }),
      }
    }),
  )
  const [source, target] = (['source', 'target'] as const).map((role) =>
    sides.find((side) => side.role === role),
  )
  const ref = `vmim/${namespace}/${name}`
  if ('why' in connect) return { ref, commands, connections: [], noConnection: connect.why }
  const connections: PlannedConnection[] = [
    {
      kind: 'tcp',
      from: source ? podOf(source) : 'the source',
      to: `${connect.address}:${connect.port}`,
      leaves: LEAVES,
    },
    ...(connect.tls
      ? [
          {
            kind: 'tls' as const,
            from: 'port-forward by the API server',
            to: `port ${connect.port} of ${target ? podOf(target) : 'the target'}`,
            leaves: LEAVES,
          },
        ]
      : []),
  ]
  return { ref, commands, connections }
}
