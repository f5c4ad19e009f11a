import { join } from 'node:path'
import { connect } from '../cluster/config.ts'
import { list } from '../cluster/objects.ts'
import { isFinal } from '../kubevirt/migration.ts'
import { MIGRATIONS, NODES, VMIS } from '../kubevirt/resources.ts'
import type { Migration, Node, Vmi } from '../kubevirt/types.ts'
import { type FoundLab, KUBECONFIG_FILE, LOG_FILE } from './state/folder.ts'
import type { LabRecord } from './state/record.ts'

/** A lab for a program: what its folder says, and how it is. */
export interface LabStatus {
  name: string
  state: 'up' | 'starting' | 'dead'
  folder: string
  kubeconfig: string
  log: string
  record: LabRecord | null
  /** Null when it is not up. */
  cluster: {
    nodes: { ready: number; total: number }
    vms: { running: number; total: number }
    migrations: { active: number; total: number }
  } | null
}

export function describeLab({ name, folder, record, alive }: FoundLab): LabStatus {
  return {
    name,
    state: !alive ? 'dead' : record?.url === undefined ? 'starting' : 'up',
    folder,
    kubeconfig: join(folder, KUBECONFIG_FILE),
    log: join(folder, LOG_FILE),
    record: record ?? null,
    cluster: null,
  }
}

/** The same with a look at the cluster itself. @throws MigError when a lab that is up does not answer */
export async function inspectLab(lab: FoundLab): Promise<LabStatus> {
  const status = describeLab(lab)
  if (status.state !== 'up') return status
  const cluster = await connect({ kubeconfig: status.kubeconfig, env: {} })
  try {
    const [nodes, vmis, migrations] = await Promise.all([
      list<Node>(cluster, NODES),
      list<Vmi>(cluster, VMIS),
      list<Migration>(cluster, MIGRATIONS),
    ])
    const ready = nodes.items.filter((node) =>
      node.status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    )
    const running = vmis.items.filter((vmi) => vmi.status?.phase === 'Running')
    const active = migrations.items.filter((migration) => !isFinal(migration))
    return {
      ...status,
      cluster: {
        nodes: { ready: ready.length, total: nodes.items.length },
        vms: { running: running.length, total: vmis.items.length },
        migrations: { active: active.length, total: migrations.items.length },
      },
    }
  } finally {
    await cluster.close()
  }
}
