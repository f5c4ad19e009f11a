import { LABEL } from '../../kubevirt/labels.ts'
import {
  CONFIG_MAPS,
  DAEMON_SETS,
  HYPERCONVERGEDS,
  KUBEVIRTS,
  LEASES,
  NETWORK_ATTACHMENT_DEFINITIONS,
  NETWORK_POLICIES,
  PODS,
} from '../../kubevirt/resources.ts'
import type { KubeVirt, Pod } from '../../kubevirt/types.ts'
import type { Permissions } from './permissions.ts'
import type { Reader } from './reader.ts'

const COMPONENTS = ['virt-api', 'virt-controller', 'virt-handler']

/**
 * What comes before all else: the KubeVirt CR (listed, which everybody may; never watched, which nobody may), and what the
 * user may read in the namespace that is asked about and in KubeVirt's own.
 */
export async function readFirst(
  reader: Reader,
  permissions: Permissions,
  namespace: string,
): Promise<KubeVirt | undefined> {
  const [kubevirts] = await Promise.all([
    reader.list<KubeVirt>(KUBEVIRTS),
    permissions.review(namespace),
  ])
  const kubevirt = kubevirts?.[0]
  await permissions.review(kubevirt?.metadata.namespace ?? 'kubevirt')
  return kubevirt
}

/** What is in KubeVirt's namespace: its pods, its rollout, its leader, the migration network, the authorities. */
export async function readComponents(
  reader: Reader,
  kubevirt: KubeVirt | undefined,
): Promise<void> {
  const namespace = kubevirt?.metadata.namespace
  if (!kubevirt || namespace === undefined) return
  const network = kubevirt.spec.configuration?.migrations?.network
  const owners = kubevirt.metadata.ownerReferences ?? []
  const of = (kind: string) => `${kind} of namespace ${namespace}`
  await Promise.all([
    reader.list<Pod>(
      PODS,
      { namespace, labelSelector: `${LABEL.app} in (${COMPONENTS.join(',')})` },
      of('Pod'),
    ),
    reader.get(DAEMON_SETS, { namespace, name: 'virt-handler' }, of('DaemonSet')),
    reader.get(LEASES, { namespace, name: 'virt-controller' }, of('Lease')),
    reader.list(NETWORK_POLICIES, { namespace }),
    reader.get(CONFIG_MAPS, { namespace, name: 'kubevirt-ca' }),
    network !== undefined &&
      reader.list(
        NETWORK_ATTACHMENT_DEFINITIONS,
        { namespace },
        NETWORK_ATTACHMENT_DEFINITIONS.kind,
      ),
    owners.some(({ kind }) => kind === HYPERCONVERGEDS.kind) &&
      reader.list(HYPERCONVERGEDS, { namespace }, of(HYPERCONVERGEDS.kind)),
  ])
}
