import { readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'
import { PODS } from '../../src/kubevirt/resources.ts'
import type { KubeObject, KubeVirt, Node, Pod } from '../../src/kubevirt/types.ts'
import type { Snapshot } from './expected.ts'
import type { ReplayLab } from './lab.ts'
import { createNames } from './names.ts'
import { observe } from './observe.ts'
import type { Scenario } from './scenario.ts'

/** What the real control plane had at one moment, as `kubectl get … -o yaml` told it (test/cases/recorded). */
export interface Archive {
  kubevirt: KubeVirt
  nodes: Scenario['nodes']
  of<T extends KubeObject>(kind: string): T[]
  /** In the form of a recording. */
  snapshot: Snapshot
}

export function readArchive(file: string): Archive {
  const objects = parseAllDocuments(readFileSync(file, 'utf8')).flatMap((document) => {
    const value = document.toJS() as (KubeObject & { items?: KubeObject[] }) | null
    return value?.items ?? (value ? [value] : [])
  })
  const of = <T extends KubeObject>(kind: string) =>
    objects.filter((object) => object.kind === kind) as unknown as T[]
  const [kubevirt] = of<KubeVirt>('KubeVirt')
  if (!kubevirt) throw new Error(`${file}: no KubeVirt`)
  const { metadata, spec, status } = kubevirt
  const { name, namespace = 'kubevirt' } = metadata
  return {
    kubevirt: { metadata: { name, namespace }, spec, ...(status ? { status } : {}) },
    nodes: of<Node>('Node').map((node) => ({
      name: node.metadata.name,
      labels: node.metadata.labels ?? {},
      allocatable: (node.status?.allocatable ?? {}) as Record<string, string>,
      unschedulable: node.spec.unschedulable === true,
    })),
    of,
    snapshot: snapshotOf(objects),
  }
}

function snapshotOf(objects: KubeObject[]): Snapshot {
  const names = createNames(0)
  for (const { kind = '', metadata } of objects.toSorted(byAge))
    names.see({ ...metadata, kind, uid: metadata.uid ?? '' })
  const demo = objects.filter(({ metadata }) => metadata.namespace === 'demo')
  const all = (resource: { kind: string }) => demo.filter(({ kind }) => kind === resource.kind)
  const seen = observe({ names, all } as unknown as ReplayLab)
  const snapshot = withoutTimes(seen) as Snapshot
  snapshot.events = snapshot.events.filter(({ on }) => !on.startsWith(`${PODS.kind}/`))
  return snapshot
}

/** Of two pods of one second the target pod is the younger one. */
function byAge(a: KubeObject, b: KubeObject): number {
  const age = ({ metadata }: KubeObject) =>
    `${metadata.creationTimestamp} ${isTarget({ metadata }) ? 1 : 0}`
  return age(a).localeCompare(age(b))
}

export function isTarget({ metadata }: Pick<Pod, 'metadata'>): boolean {
  return metadata.labels?.['kubevirt.io/migrationJobUID'] !== undefined
}

/** Times are compared by their form alone. */
function withoutTimes(value: unknown): unknown {
  if (typeof value === 'string')
    return value
      .replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, 'T+0s')
      .replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC$/, '<time as Go prints it>')
  if (Array.isArray(value)) return value.map(withoutTimes)
  if (value instanceof Map)
    return new Map([...value].map(([key, entry]) => [key, withoutTimes(entry)]))
  if (value instanceof Set || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withoutTimes(entry)]))
}
