import { isStatus } from '../cluster/api-error.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { get, list } from '../cluster/objects.ts'
import { EXIT, MigError } from '../errors.ts'
import { isAtLeast, releaseOf } from '../kubevirt/defaults.ts'
import { NODES } from '../kubevirt/resources.ts'
import type { KubeVirt, Node, Vmi } from '../kubevirt/types.ts'
import { launcherSelector } from '../rules/launcher-placement.ts'
import { readKubeVirt } from './cluster-view.ts'
import type { Blocker } from './forecast.ts'

/** What a person asks of the target node. */
export interface TargetWish {
  nodeSelector: Record<string, string>
  /** The name of a node. */
  toNode: string | undefined
}

/** The same as KubeVirt takes it. */
export interface Target {
  addedNodeSelector: Record<string, string>
  /** The one node that was named. */
  node: Node | undefined
  /** Those that have the labels; undefined where a node was named, or nodes may not be read. */
  matching: string[] | undefined
}

const HOSTNAME = 'kubernetes.io/hostname'

/**
 * Reads `--node-selector K=V`, given any number of times.
 * @throws MigError (usage)
 */
export function parseNodeSelector(texts: string[]): Record<string, string> {
  const selector: Record<string, string> = {}
  for (const text of texts) {
    const [, key, value] = PAIR.exec(text) ?? []
    if (key === undefined || value === undefined)
      throw new MigError(EXIT.usage, `--node-selector: "${text}" is no label of a node`, {
        hint: 'expected KEY=VALUE, such as topology.kubernetes.io/zone=a',
      })
    if ((selector[key] ?? value) !== value)
      throw new MigError(
        EXIT.usage,
        `--node-selector: ${key} is both "${selector[key]}" and "${value}"`,
        { hint: 'all pairs must hold at once' },
      )
    selector[key] = value
  }
  return selector
}

/** A label as Kubernetes allows it: a key with an optional DNS prefix, a value that may be empty. */
const PAIR =
  /^((?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?)=((?:[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?)?)$/

/**
 * Makes of a wish what KubeVirt takes: a node is chosen by its hostname label, which need not be its name.
 * @returns undefined when nothing was wished
 * @throws MigError: KubeVirt is too old, unknown node (9), both wishes at odds (2), not permitted (8)
 */
export async function resolveTarget(
  cluster: Cluster,
  { nodeSelector, toNode }: TargetWish,
  signal: AbortSignal,
): Promise<Target | undefined> {
  if (toNode === undefined && Object.keys(nodeSelector).length === 0) return undefined
  const flag = toNode === undefined ? '--node-selector' : '--to-node'
  refuseOldRelease(await readKubeVirt(cluster, signal), flag)
  if (toNode === undefined) {
    const matching = await readMatching(cluster, nodeSelector, signal)
    return { addedNodeSelector: nodeSelector, node: undefined, matching }
  }

  const node = await readNode(cluster, toNode, signal)
  const hostname = node.metadata.labels?.[HOSTNAME]
  if (!hostname)
    throw new MigError(EXIT.notFound, `node "${toNode}" has no label ${HOSTNAME}`, {
      hint: '--node-selector KEY=VALUE can name another label that only this node has',
    })
  const addedNodeSelector = { [HOSTNAME]: hostname, ...nodeSelector }
  const lacks = lackingLabel(node, addedNodeSelector)
  if (lacks)
    throw new MigError(EXIT.usage, `--node-selector excludes --to-node: "${toNode}" ${lacks}`)
  return { addedNodeSelector, node, matching: undefined }
}

/**
 * Why a VM cannot go there. KubeVirt itself would not say: where both ask for the same label the VM's own value wins
 * silently, and on its own node it would wait for another that fits (fact sheet control-plane.md §1.2, §2.7).
 */
export function targetBlockers(
  { addedNodeSelector, node, matching }: Target,
  vmi: Vmi | undefined,
  kubevirt: KubeVirt | undefined,
): Blocker[] {
  if (!vmi) return []
  if (node && vmi.status?.nodeName === node.metadata.name)
    return [blocker('target-node', `it runs on node "${node.metadata.name}" already`)]
  const own = launcherSelector(vmi, kubevirt)
  const against = Object.entries(addedNodeSelector).flatMap(([key, value]) =>
    own[key] === undefined || own[key] === value
      ? []
      : blocker('node-selector', `its own node selector has ${key}=${own[key]}, not ${value}`),
  )
  if (against.length > 0) return against
  if (!node) return unmatched(matching, addedNodeSelector, vmi.status?.nodeName)
  const lacks = lackingLabel(node, vmi.spec.nodeSelector ?? {})
  return lacks
    ? [
        blocker(
          'node-selector',
          `node "${node.metadata.name}" ${lacks}, which its own node selector asks for`,
        ),
      ]
    : []
}

/** It would wait for a node that there is not. */
function unmatched(
  matching: string[] | undefined,
  selector: Record<string, string>,
  source: string | undefined,
): Blocker[] {
  const labels = Object.entries(selector).map(([key, value]) => `${key}=${value}`)
  if (matching?.length === 0) return [blocker('node-selector', `no node has ${labels.join(', ')}`)]
  const [only] = matching ?? []
  if (matching?.length !== 1 || only !== source) return []
  const where = `only node "${only}", where it runs already, has ${labels.join(', ')}`
  return [blocker('target-node', where)]
}

function blocker(check: string, message: string): Blocker {
  return { check, message }
}

/** `is without zone=a`; undefined when it has all. */
function lackingLabel(node: Node, wanted: Record<string, string>): string | undefined {
  const lacking = Object.entries(wanted).find(
    ([key, value]) => node.metadata.labels?.[key] !== value,
  )
  return lacking && `is without ${lacking[0]}=${lacking[1]}`
}

/** Before 1.6 the API server drops what it does not know, or refuses it in words that name no release. */
function refuseOldRelease(kubevirt: KubeVirt | undefined, flag: string): void {
  const release = releaseOf(kubevirt)
  if (!release || isAtLeast(release, 1, 6)) return
  throw new MigError(
    EXIT.notFound,
    `${flag} needs KubeVirt 1.6, and this cluster runs ${release.major}.${release.minor}`,
    { hint: "before 1.6 only the VM's own spec.template.spec.nodeSelector chooses nodes" },
  )
}

/** The names of the nodes with all these labels; undefined where nodes may not be read. */
export async function readMatching(
  cluster: Cluster,
  selector: Record<string, string>,
  signal: AbortSignal | undefined,
): Promise<string[] | undefined> {
  const labelSelector = Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
  try {
    const { items } = await list<Node>(cluster, NODES, { labelSelector, signal })
    return items.map(({ metadata }) => metadata.name)
  } catch (err) {
    if (isStatus(err, 403)) return undefined
    throw err
  }
}

async function readNode(cluster: Cluster, name: string, signal: AbortSignal): Promise<Node> {
  try {
    return await get<Node>(cluster, NODES, { name }, { signal })
  } catch (err) {
    if (isStatus(err, 403))
      throw new MigError(EXIT.refused, (err as Error).message, {
        hint: `--node-selector ${HOSTNAME}=${name} needs no permission to read nodes`,
        cause: err,
      })
    if (!isStatus(err, 404)) throw err
    throw new MigError(EXIT.notFound, `no node "${name}"`, {
      hint: '"kubectl get nodes" lists them',
      cause: err,
    })
  }
}
