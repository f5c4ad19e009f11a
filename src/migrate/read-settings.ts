import type { Cluster } from '../cluster/cluster.ts'
import { get, list } from '../cluster/objects.ts'
import { together } from '../cluster/together.ts'
import { MIGRATION_POLICIES, NAMESPACES } from '../kubevirt/resources.ts'
import type { MigrationPolicy, Namespace } from '../kubevirt/types.ts'
import { settingsFor } from '../rules/configuration.ts'
import { policyFor } from '../rules/policy.ts'
import { readKubeVirt } from './cluster-view.ts'
import type { Subject } from './find.ts'
import { currentSettings } from './forecast.ts'
import { type Gap, toGap } from './gap.ts'
import type { Look } from './look.ts'
import type { SettingReport } from './settings.ts'

/** What is configured now for a VM's migrations. All of it must be readable, else it is a gap. */
export async function readSettings(
  cluster: Cluster,
  { namespace, vmi, vm }: Subject,
  { signal }: Look,
): Promise<{ settings: SettingReport[] | undefined; gaps: Gap[] }> {
  try {
    const [kubevirt, { items: policies }, around] = await together([
      readKubeVirt(cluster, signal),
      list<MigrationPolicy>(cluster, MIGRATION_POLICIES, { signal }),
      get<Namespace>(cluster, NAMESPACES, { name: namespace }, { signal }),
    ])
    const labels = vmi ? vmi.metadata.labels : vm?.spec.template?.metadata?.labels
    const policy = policyFor(policies, labels, around.metadata.labels)
    const settings = settingsFor(kubevirt, policy.winner?.policy)
    return { settings: currentSettings({ kubevirt, policies }, { settings, policy }), gaps: [] }
  } catch (err) {
    return { settings: undefined, gaps: [toGap('settings', err, signal)] }
  }
}
