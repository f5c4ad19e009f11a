import { LABEL } from '../../kubevirt/labels.ts'
import { NODE_LABEL } from '../../kubevirt/node-labels.ts'
import type { Node } from '../../kubevirt/types.ts'
import { listing, plural } from '../words.ts'
import type { PlacementVerdict, Unplaced } from './unplaced.ts'

const TSC = 'tsc-frequency-'

/**
 * A target pod whose selector fits no other node: which of its labels are missing where, and whose each is: the VM's
 * own, that of its CPU, of its machine type, or of the migration.
 */
export function selectorVerdict(
  unplaced: Unplaced,
  nodesText: string,
): PlacementVerdict | undefined {
  const { pod, subject, others, world } = unplaced
  const selector = selectorOf(unplaced)
  const missing = (node: Node) =>
    Object.entries(selector).filter(([key, value]) => node.metadata.labels?.[key] !== value)
  const lacking = others.map((node) => ({
    node: node.metadata.name,
    keys: missing(node).map(([key]) => key),
  }))
  const wanted = [...new Set(lacking.flatMap(({ keys }) => keys))]
  const everywhere = Object.keys(selector).filter((key) =>
    lacking.every(({ keys }) => keys.includes(key)),
  )
  const objects = others.map(({ metadata }) => `node/${metadata.name}`).slice(0, 4)
  const target = `The target pod of ${subject.name} cannot be scheduled`
  const source = subject.sourceNode ?? 'the source node'
  const host = selector['kubernetes.io/hostname']

  if (host !== undefined && host === subject.sourceNode)
    return {
      code: 'MIG3015',
      title: `${target}: the VM is pinned to ${host} (nodeSelector kubernetes.io/hostname=${host}), which is the source itself`,
      cause: `The nodeSelector demands ${host}, where the VM already runs, and the anti-affinity against the source pod forbids it: no node can ever fit`,
      remedy: [
        {
          text: 'Remove the hostname selector from the VM (live, where the feature allows it, or with a restart); use a label that several nodes have',
        },
      ],
    }
  const added = Object.keys(subject.migration?.spec.addedNodeSelector ?? {})
  const byMigration =
    everywhere.length > 0
      ? everywhere.filter((key) => added.includes(key))
      : wanted.filter((key) => added.includes(key))
  if (byMigration.length > 0)
    return {
      code: 'MIG3019',
      title: `${target}: addedNodeSelector of the migration (${listing(byMigration.map((key) => `${key}=${selector[key]}`))}) fits no other node`,
      cause: nodesText,
      remedy: [
        {
          text: 'Migrate again without it, or with a label that a usable node has; where the VM has the same key, the VM’s value wins',
        },
      ],
    }
  if (others.length > 0 && wanted.length === 0 && !hostModel(selector))
    return affinityVerdict(unplaced, target)

  if (wanted.includes(LABEL.schedulable)) {
    const down = lacking
      .filter(({ keys }) => keys.includes(LABEL.schedulable))
      .map(({ node }) => node)
    if (down.length === others.length)
      return {
        code: 'MIG3022',
        title: `${target}: KubeVirt marks ${listing(down)} unschedulable (kubevirt.io/schedulable is not true)`,
        cause: `virt-handler there is down or its heartbeat is older than 5 min. ${nodesText}`,
        objects,
        remedy: [
          {
            text: 'Restore virt-handler on these nodes',
            command: 'kubectl get pods -A -l kubevirt.io=virt-handler -o wide',
          },
        ],
      }
  }
  const tsc = wanted.find((key) => key.includes(TSC))
  if (tsc) return tscVerdict(unplaced, tsc, target, objects)
  const machine = wanted.find((key) => key.startsWith(NODE_LABEL.machineType))
  if (machine)
    return {
      code: 'MIG3018',
      title: `${target}: no other node knows machine type ${machine.slice(NODE_LABEL.machineType.length)}`,
      cause: `The guest was started with it, and QEMU of the other nodes is of another release. ${nodesText}`,
      objects,
      remedy: [
        { text: 'Bring the other nodes to the release of the source node, or restart the VM' },
      ],
    }
  const vendor = wanted.find((key) => key.startsWith(NODE_LABEL.cpuVendor))
  if (vendor)
    return {
      code: 'MIG3017',
      title: `${target}: only nodes of another CPU vendor are left, the guest runs on ${vendor.slice(NODE_LABEL.cpuVendor.length)}`,
      cause: `Guests do not move between vendors. ${nodesText}`,
      objects,
      remedy: [{ text: 'Restart the VM to move it; or add a node of this vendor' }],
    }
  if (hostModel(selector) || wanted.some(isCpu))
    return cpuVerdict(unplaced, lacking, target, objects)

  const own = Object.keys(subject.vmi?.spec.nodeSelector ?? {})
  const whose = everywhere.length > 0 ? everywhere : wanted
  const ofVm = whose.filter((key) => own.includes(key))
  const named = whose.map((key) => `${key}=${selector[key]}`)
  return {
    code: 'MIG3011',
    title: `${target}: no other node matches its node selector or affinity${named.length > 0 ? ` (${listing(named)})` : ''}`,
    cause:
      `${nodesText || 'The node affinity or selector excludes every other node'}; ${source} is excluded as the source. ${ofVm.length > 0 ? 'The selector is the VM’s own' : pod ? 'It comes from the pod’s rendering (KubeVirt, CPU, architecture) or the VM’s affinity' : ''}`.trim(),
    objects,
    remedy: [
      {
        text:
          world.nodes.length > 0
            ? 'Correct the selector of the VM, or label a node that may take it'
            : 'Compare the pod’s nodeSelector and affinity with the nodes’ labels',
        command: 'kubectl get nodes --show-labels',
      },
    ],
  }
}

interface NodeAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: {
    nodeSelectorTerms?: {
      matchExpressions?: { key: string; operator?: string; values?: string[] }[]
    }[]
  }
}

/** All labels fit: then it is a required node affinity, of the VM or of KubeVirt. */
function affinityVerdict(
  { pod, parsed, subject }: Unplaced,
  target: string,
): PlacementVerdict | undefined {
  if (!parsed?.objections.some(({ kind }) => kind === 'selector')) return undefined
  const required = (pod?.spec.affinity?.['nodeAffinity'] as NodeAffinity | undefined)
    ?.requiredDuringSchedulingIgnoredDuringExecution
  const expressions = (required?.nodeSelectorTerms ?? []).flatMap(
    ({ matchExpressions = [] }) => matchExpressions,
  )
  const texts = expressions.map(({ key, operator = '', values = [] }) =>
    `${key} ${operator} ${values.join(',')}`.trim(),
  )
  const obsolete = expressions.some(({ key }) => key === NODE_LABEL.obsoleteHostModel)
  return {
    code: 'MIG3011',
    title: `${target}: no other node meets its required node affinity${texts.length > 0 ? ` (${listing(texts)})` : ''}`,
    cause: obsolete
      ? `The other nodes are labelled ${NODE_LABEL.obsoleteHostModel}: their host model changed (kernel, microcode, libvirt) since, and host-model guests are not moved there`
      : `The rule is ${subject.vmi?.spec.affinity ? 'the VM’s own' : 'not in the VM’s spec as it was read'}`,
    remedy: [
      {
        text: obsolete
          ? 'Restart the VMs that still run with the old model on these nodes, or name a CPU model'
          : 'Loosen the node affinity of the VM, or label a node that may take it',
      },
    ],
  }
}

function selectorOf({ pod, subject }: Unplaced): Record<string, string> {
  return (
    pod?.spec.nodeSelector ?? {
      ...(subject.migration?.spec.addedNodeSelector ?? {}),
      ...(subject.sourcePod?.spec.nodeSelector ?? {}),
      ...(subject.vmi?.spec.nodeSelector ?? {}),
    }
  )
}

function isCpu(key: string): boolean {
  return [NODE_LABEL.cpuModelMigration, NODE_LABEL.cpuFeature, NODE_LABEL.cpuModel].some((prefix) =>
    key.startsWith(prefix),
  )
}

function hostModel(selector: Record<string, string>): boolean {
  return Object.keys(selector).some((key) => key.startsWith(NODE_LABEL.cpuModelMigration))
}

function tscVerdict(
  { world, subject }: Unplaced,
  key: string,
  target: string,
  objects: string[],
): PlacementVerdict {
  const hz = key.slice(key.indexOf(TSC) + TSC.length)
  const offering = world.nodes.filter(({ metadata }) => metadata.labels?.[key] === 'true')
  const offers = offering.map(({ metadata, spec }) => {
    const taints = (spec.taints ?? []).map((taint) => taint.key)
    return `${metadata.name}${taints.length > 0 ? ` (taint ${listing(taints)})` : metadata.name === subject.sourceNode ? ' (the source)' : ''}`
  })
  const others = world.nodes.filter((node) => !offering.includes(node))
  const own = others.flatMap(
    ({ metadata }) => metadata.labels?.['cpu-timer.node.kubevirt.io/tsc-frequency'] ?? [],
  )
  return {
    code: 'MIG3016',
    title: `${target}: selector ${NODE_LABEL.tscFrequency}${hz} is offered only by ${listing(offers)}`,
    cause: `The guest’s TSC frequency is the smallest of the cluster, which may come from a node that VMs cannot use; ${listing(others.map(({ metadata }) => metadata.name))} ${own.length > 0 ? `run at ${listing(own)} and cannot scale it` : 'lack it'}`,
    objects,
    remedy: [
      {
        text: 'Upgrade KubeVirt (releases up to 1.0.0 take the frequency of unusable nodes), or keep virt-handler off such nodes; then restart the VM',
      },
    ],
  }
}

/** CPU model and features: which labels are missing where, whether they were inherited, and what all nodes offer. */
function cpuVerdict(
  unplaced: Unplaced,
  lacking: { node: string; keys: string[] }[],
  target: string,
  objects: string[],
): PlacementVerdict {
  const { subject, world, others } = unplaced
  const selector = selectorOf(unplaced)
  const cpuKeys = Object.keys(selector).filter(isCpu)
  const model = cpuKeys
    .find((key) => key.startsWith(NODE_LABEL.cpuModelMigration))
    ?.slice(NODE_LABEL.cpuModelMigration.length)
  const features = cpuKeys.filter((key) => key.startsWith(NODE_LABEL.cpuFeature)).map(nameOf)
  const cpuLacks = lacking
    .map(({ node, keys }) => ({
      node,
      names: keys.filter(isCpu).map(nameOf),
      keys: keys.filter(isCpu),
    }))
    .filter(({ names }) => names.length > 0)
  const nearest = [...cpuLacks].sort((a, b) => a.names.length - b.names.length)[0]
  const models = commonModels(world.nodes)
  const inherited = cpuKeys.some((key) => subject.sourcePod?.spec.nodeSelector?.[key] !== undefined)
  const common =
    models.length > 0
      ? `Models that all nodes offer: ${listing(models)}`
      : 'No CPU model is offered by all nodes'
  const which = nearest
    ? `${nearest.node} lacks ${plural(nearest.keys.length, 'label')}: ${listing(nearest.keys, 3)}`
    : `wanted ${listing([...(model ? [model] : []), ...features], 6)}`
  const exact = nearest !== undefined && nearest.names.length < cpuKeys.length
  return {
    code: exact && inherited ? 'MIG3011' : 'MIG3014',
    title: `${target}: ${exact ? which : `no other node offers the source’s host-model CPU (${listing([...(model ? [model] : []), ...features.slice(0, 4)], 6)})`}`,
    cause: `The selector asks for ${plural(cpuKeys.length, 'CPU label')}${inherited ? ', inherited: the running pod already carries them, from an earlier migration or from host-model' : ' of the source’s host-model'}${others.length > 0 ? `. ${which}` : ''}. ${common}`,
    objects,
    remedy: [
      {
        text:
          models.length > 0
            ? `Set spec.domain.cpu.model to a model common to all nodes (${listing(models, 3)}) and restart the VM`
            : 'Set spec.domain.cpu.model to a common named CPU model and restart the VM',
      },
    ],
  }
}

export function commonModels(nodes: readonly Node[]): string[] {
  const offered = nodes.map(({ metadata }) =>
    Object.entries(metadata.labels ?? {})
      .filter(([key, value]) => key.startsWith(NODE_LABEL.cpuModel) && value === 'true')
      .map(([key]) => nameOf(key)),
  )
  const [first = [], ...rest] = offered
  return first.filter((model) => rest.every((models) => models.includes(model)))
}

function nameOf(key: string): string {
  return key.slice(key.indexOf('/') + 1)
}
