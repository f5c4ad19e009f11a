import type { Cluster } from '../cluster/cluster.ts'
import { LABEL } from '../kubevirt/labels.ts'
import {
  MIGRATIONS,
  NAMESPACES,
  NODES,
  pathOf,
  type Resource,
  VMIS,
} from '../kubevirt/resources.ts'
import type { Candidate } from './candidates.ts'
import type { Source } from './sources.ts'

/**
 * Names that are in the cluster now, each with what one wants to know of it.
 * @param partial `vmim/…`, `node/…` and so on ask for that kind, and get it back
 */
export async function liveNames(
  cluster: Cluster,
  source: Source,
  partial: string,
  signal: AbortSignal,
): Promise<Candidate[]> {
  const rows = (resource: Resource) => readRows(cluster, resource, signal)
  const labelled = LABELLED[source]
  if (labelled) return labels(await rows(labelled.resource), labelled.what, partial)
  const slash = partial.indexOf('/')
  if (slash < 0) return names(source, rows)
  const kind = partial.slice(0, slash)
  const found =
    kind === 'vmim'
      ? migrations(await rows(MIGRATIONS), source)
      : kind === 'node'
        ? await names('nodes', rows)
        : await names(source, rows)
  return found.map(({ value, ...rest }) => ({ value: `${kind}/${value}`, ...rest }))
}

const LABELLED: Partial<Record<Source, { resource: Resource; what: string }>> = {
  'vm-labels': { resource: VMIS, what: 'VM' },
  'migration-labels': { resource: MIGRATIONS, what: 'migration' },
  'node-labels': { resource: NODES, what: 'node' },
}

/** Each label once, with how many have it; behind those that a selector has already. */
function labels(rows: Row[], what: string, partial: string): Candidate[] {
  const before = partial.slice(0, partial.lastIndexOf(',') + 1)
  const pairs = rows.flatMap(({ object }) =>
    Object.entries(object.metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`),
  )
  return [...Map.groupBy(pairs, (pair) => pair)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([pair, { length }]) => ({
      value: `${before}${pair}`,
      description: `${length} ${what}${length === 1 ? '' : 's'}`,
    }))
}

async function names(
  source: Source,
  rows: (resource: Resource) => Promise<Row[]>,
): Promise<Candidate[]> {
  if (source === 'nodes')
    return (await rows(NODES)).map((row) => candidate(row, cell(row, 'Status')))
  if (source === 'namespaces') return (await rows(NAMESPACES)).map((row) => candidate(row))
  if (source === 'running')
    return (await rows(VMIS))
      .filter((row) => cell(row, 'Phase') === 'Running')
      .map((row) => candidate(row, `on ${cell(row, 'NodeName')}`))
  return vmsOf(await rows(MIGRATIONS), source)
}

function migrations(rows: Row[], source: Source): Candidate[] {
  return rows
    .filter((row) => source !== 'moving' || inFlight(row))
    .map((row) => candidate(row, `${vmOf(row)}: ${cell(row, 'Phase')}`))
}

/** Each VM once, with its migration that is in flight, or else its newest. */
function vmsOf(rows: Row[], source: Source): Candidate[] {
  const order = [...rows].sort(
    (a, b) => Number(inFlight(a)) - Number(inFlight(b)) || (madeAt(a) < madeAt(b) ? -1 : 1),
  )
  const latest = new Map(order.map((row) => [vmOf(row), row]))
  return [...latest]
    .filter(([vm, row]) => vm !== '' && (source !== 'moving' || inFlight(row)))
    .map(([vm, row]) => ({
      value: vm,
      description: `${cell(row, 'Phase')} (${row.object.metadata.name})`,
    }))
}

function inFlight(row: Row): boolean {
  return !['Succeeded', 'Failed'].includes(cell(row, 'Phase'))
}

function vmOf(row: Row): string {
  return cell(row, 'VMI') || (row.object.metadata.labels?.[LABEL.vmiName] ?? '')
}

function madeAt({ object }: Row): string {
  return object.metadata.creationTimestamp ?? ''
}

function candidate({ object }: Row, description?: string): Candidate {
  return { value: object.metadata.name, description }
}

function cell({ cells }: Row, column: string): string {
  return cells[column] ?? ''
}

interface Row {
  /** By column, as `kubectl get` shows them. */
  cells: Record<string, string>
  object: {
    metadata: { name: string; labels?: Record<string, string>; creationTimestamp?: string }
  }
}

interface Table {
  columnDefinitions: { name: string }[]
  rows: { cells: unknown[]; object: Row['object'] }[]
}

/** A table is a fraction of the objects' size; its first page is as much as a person can choose from. */
async function readRows(cluster: Cluster, resource: Resource, signal: AbortSignal): Promise<Row[]> {
  const { columnDefinitions, rows } = await cluster.request<Table>({
    path: pathOf(resource, { namespace: cluster.namespace }),
    query: { limit: 500 },
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
    signal,
  })
  return rows.map(({ cells, object }) => ({
    cells: Object.fromEntries(
      columnDefinitions.map(({ name }, i) => [name, String(cells[i] ?? '')]),
    ),
    object,
  }))
}
