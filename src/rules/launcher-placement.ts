import { isGateOn } from '../kubevirt/defaults.ts'
import { NODE_LABEL } from '../kubevirt/node-labels.ts'
import type { KubeVirt, Node, Pod, Vmi } from '../kubevirt/types.ts'

type Selector = Record<string, string>

/** Which nodes may a launcher of this VM run on (fact sheet control-plane.md §2.7)? */
export function launcherSelector(vmi: Vmi, kubevirt: KubeVirt | undefined): Selector {
  const configuration = kubevirt?.spec.configuration
  const { domain, nodeSelector } = vmi.spec
  const selector: Selector = {
    [NODE_LABEL.schedulable]: 'true',
    'kubernetes.io/arch': architectureOf(vmi, kubevirt),
    ...configuration?.developerConfiguration?.nodeSelectors,
    ...nodeSelector,
  }
  if (isGateOn(kubevirt, 'HypervStrictCheck'))
    for (const label of hypervLabels(vmi)) selector[label] = 'true'
  const machine = vmi.status?.machine?.type ?? domain?.machine?.type
  if (machine) selector[`${NODE_LABEL.machineType}${machine}`] = 'true'
  const model = domain?.cpu?.model
  if (model && model !== 'host-model' && model !== 'host-passthrough')
    selector[`${NODE_LABEL.cpuModel}${model}`] = 'true'
  for (const { name, policy = 'require' } of domain?.cpu?.features ?? [])
    if (policy === '' || policy === 'require') selector[`${NODE_LABEL.cpuFeature}${name}`] = 'true'
  const hints = vmi.status?.['topologyHints'] as { tscFrequency?: number } | undefined
  if (hints?.tscFrequency) selector[`${NODE_LABEL.tscFrequency}${hints.tscFrequency}`] = 'true'
  if (domain?.cpu?.dedicatedCpuPlacement) selector[NODE_LABEL.cpuManager] = 'true'
  if (domain?.cpu?.['realtime']) selector[NODE_LABEL.realtime] = 'true'
  for (const label of securityLabels(vmi)) selector[label] = 'true'
  return selector
}

/** Enlightenments that need the host's kernel to have them; the others are QEMU's alone. */
const HOST_ENLIGHTENMENTS = [
  'vpindex',
  'runtime',
  'reset',
  'synic',
  'synictimer',
  'frequencies',
  'reenlightenment',
  'tlbflush',
  'ipi',
]

function hypervLabels({ spec }: Vmi): string[] {
  const { hyperv = {} } = (spec.domain?.['features'] ?? {}) as {
    hyperv?: Record<string, { enabled?: boolean } | undefined>
  }
  const isOn = (name: string) => hyperv[name] !== undefined && hyperv[name].enabled !== false
  return [
    ...HOST_ENLIGHTENMENTS.filter(isOn).map((name) => `${NODE_LABEL.hyperv}${name}`),
    // Nested guests: only Intel has it.
    ...(isOn('evmcs') ? [`${NODE_LABEL.cpuVendor}Intel`] : []),
  ]
}

export function architectureOf({ spec }: Vmi, kubevirt: KubeVirt | undefined): string {
  const { architecture } = spec as { architecture?: string }
  return (architecture || kubevirt?.status?.defaultArchitecture || 'amd64').toLowerCase()
}

/** What a guest needs whose memory not even its host may read. */
function securityLabels({ spec }: Vmi): string[] {
  const { sev, snp, tdx } = (spec.domain?.['launchSecurity'] ?? {}) as {
    sev?: { policy?: { encryptedState?: boolean } }
    snp?: unknown
    tdx?: unknown
  }
  return [
    ...(sev ? [NODE_LABEL.sev] : []),
    ...(sev?.policy?.encryptedState ? [NODE_LABEL.sevEs] : []),
    ...(snp ? [NODE_LABEL.sevSnp] : []),
    ...(tdx ? [NODE_LABEL.tdx] : []),
  ]
}

export const NO_HOST_MODEL = `unable to locate host cpu model, does not contain label "${NODE_LABEL.hostModelCpu}" with information`

export type TargetSelector =
  | { ok: true; selector: Selector }
  /** KubeVirt tries again with growing delays, without an event. */
  | { ok: false; error: string }

/**
 * The same for a target pod: an added selector only narrows; a host-model CPU asks for what the source node has, or, once
 * it has moved, for what its pod asks; and the CPU's vendor stays.
 */
export function targetSelector(
  base: Selector,
  added: Selector | undefined,
  vmi: Vmi,
  sourceNode: Node,
  sourcePod: Pod,
): TargetSelector {
  const selector: Selector = { ...added, ...base }
  if (isHostModel(vmi)) {
    const model = hostModelSelector(sourceNode, sourcePod)
    if (!model) return { ok: false, error: NO_HOST_MODEL }
    Object.assign(selector, model)
  }
  if (!Object.keys(selector).some((key) => key.startsWith(NODE_LABEL.cpuVendor)))
    for (const key of Object.keys(sourceNode.metadata.labels ?? {}))
      if (key.startsWith(NODE_LABEL.cpuVendor)) selector[key] = 'true'
  return { ok: true, selector }
}

export function isHostModel(vmi: Vmi): boolean {
  const model = vmi.spec.domain?.cpu?.model
  return model === undefined || model === '' || model === 'host-model'
}

function hostModelSelector(node: Node, sourcePod: Pod): Selector | undefined {
  // Any such key of the source pod, even one from the VM's own selector, makes KubeVirt think that it has moved before.
  const kept = Object.entries(sourcePod.spec.nodeSelector ?? {}).filter(
    ([key]) => key.includes(NODE_LABEL.cpuFeature) || key.includes(NODE_LABEL.cpuModelMigration),
  )
  if (kept.length > 0) return Object.fromEntries(kept)
  return hostModelOf(node.metadata.labels ?? {})
}

/** A host's model and the features that go with it, by its node's labels; undefined where they name no model. */
export function hostModelOf(labels: Record<string, string>): Selector | undefined {
  const selector: Selector = {}
  let model: string | undefined
  for (const [key, value] of Object.entries(labels)) {
    if (key.startsWith(NODE_LABEL.hostModelCpu)) {
      model = key.slice(NODE_LABEL.hostModelCpu.length)
      selector[`${NODE_LABEL.cpuModelMigration}${model}`] = value
    }
    if (key.startsWith(NODE_LABEL.hostModelFeatures))
      selector[`${NODE_LABEL.cpuFeature}${key.slice(NODE_LABEL.hostModelFeatures.length)}`] = value
  }
  return model ? selector : undefined
}

interface Affinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: Term[] }
    [kind: string]: unknown
  }
  podAntiAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: object[]
    [kind: string]: unknown
  }
  [kind: string]: unknown
}

interface Term {
  matchExpressions?: object[]
  [kind: string]: unknown
}

/**
 * The VM's own affinity; a host-model CPU never goes to a node whose model is out of date, and no guest to one whose CPU
 * has what it forbids.
 */
export function launcherAffinity(vmi: Vmi): Affinity | undefined {
  const forbidden = (vmi.spec.domain?.cpu?.features ?? []).filter(
    ({ policy }) => policy === 'forbid',
  )
  const rejected = [
    ...(isHostModel(vmi) ? [NODE_LABEL.obsoleteHostModel as string] : []),
    ...forbidden.map(({ name }) => `${NODE_LABEL.cpuFeature}${name}`),
  ]
  return rejected.reduce(rejecting, vmi.spec.affinity as Affinity | undefined)
}

function rejecting(affinity: Affinity | undefined, key: string): Affinity {
  return demanding(affinity, { key, operator: 'DoesNotExist' })
}

/** A guest of another cluster may come to any node but one of its own node's name: to the first term alone. */
export function awayFromNode(affinity: Affinity | undefined, node: string): Affinity {
  const expression = { key: 'kubernetes.io/hostname', operator: 'NotIn', values: [node] }
  return demanding(affinity, expression, (index) => index === 0)
}

function demanding(
  affinity: Affinity | undefined,
  expression: object,
  isMeant: (index: number) => boolean = () => true,
): Affinity {
  const { requiredDuringSchedulingIgnoredDuringExecution: required, ...preferred } =
    affinity?.nodeAffinity ?? {}
  const terms = required?.nodeSelectorTerms ?? [{}]
  return {
    ...affinity,
    nodeAffinity: {
      ...preferred,
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: terms.map((term, index) =>
          isMeant(index)
            ? { ...term, matchExpressions: [...(term.matchExpressions ?? []), expression] }
            : term,
        ),
      },
    },
  }
}

/** A target pod must not land beside any other launcher of its VM. */
export function awayFromItself(affinity: Affinity | undefined, vmi: Vmi): Affinity {
  const term = {
    labelSelector: { matchLabels: { 'kubevirt.io/created-by': vmi.metadata.uid } },
    topologyKey: 'kubernetes.io/hostname',
  }
  const { podAntiAffinity } = affinity ?? {}
  return {
    ...affinity,
    podAntiAffinity: {
      ...podAntiAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: [
        ...(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
        term,
      ],
    },
  }
}
