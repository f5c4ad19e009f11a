import type { KubeObject } from '../../kubevirt/types.ts'
import { subdomainFaults } from './formats.ts'
import type { FieldError } from './status.ts'

/** An object as the API server sees it: any kind, every field that came. Objects in the store are frozen. */
export interface ApiObject extends KubeObject {
  [field: string]: unknown
}

/** A cell of a table, by a function of the object or by a dotted path (as in a CustomResourceDefinition). */
export interface Column {
  name: string
  type?: 'string' | 'integer' | 'boolean' | 'date'
  format?: 'name'
  description?: string
  /** 0 is always shown, 1 with -o wide. */
  priority?: number
  /** `now` in ms since the epoch. */
  cell: string | ((object: ApiObject, now: number) => unknown)
  /** How a CustomResourceDefinition finds the cell, where the path above is none. */
  jsonPath?: string
}

/**
 * One kind, one row: all that the server knows of it. The router, the store and the verbs know no kind by name;
 * what is special about one (defaults, its own subresources, columns) is here or in a function its row names.
 */
export interface Kind {
  group: string
  version: string
  plural: string
  singular: string
  kind: string
  listKind: string
  shortNames: string[]
  categories: string[]
  namespaced: boolean
  /** Kubernetes' own (strategic merge patch, decoded by Go types) or a custom resource. */
  builtIn: boolean
  /** The kind's type in schema/types.ts; undefined for a kind whose objects are kept as they come. */
  type: string | undefined
  /** The webhook that looks at new objects before the schema does, and refuses what doesn't fit it. */
  schemaWebhook: string | undefined
  /** Older versions in which the same objects are served, deprecated. */
  deprecatedVersions: string[]
  /** The warning that comes with every answer in a version; undefined for none. */
  deprecation: ((version: string) => string | undefined) | undefined
  /** What is wrong with a name of such an object. */
  nameFaults(name: string): string[]
  /** Whether its objects are the server's own: they are read and watched. */
  isReadOnly: boolean
  /** Whether its objects are deleted one by one only. */
  isDeletedSingly: boolean
  /** Whether status is written by its own subresource only. */
  hasStatus: boolean
  /** Whether metadata.generation counts changes of anything but metadata (and status). */
  hasGeneration: boolean
  /** Whether an update may leave resourceVersion out. */
  unconditionalUpdate: boolean
  columns: Column[]
  /** Whether the table does without the leading column of names. */
  namelessTable: boolean
  /** Field selectors beside metadata.name and metadata.namespace. */
  fields: Record<string, (object: ApiObject) => string>
  /** Further subresources, as discovery names them: `binding`, `eviction`, `log` … */
  subresources: Subresource[]
  /** Fills what Kubernetes fills in whenever it reads an object; may change it, which is a private copy. */
  defaults?: (object: ApiObject) => void
  /** Makes a new object of what was sent to create it (its first status); may change it too. */
  prepare?: (object: ApiObject) => void
  /** What an update keeps from the old object whatever the client sent; may change `next`. */
  preserve?: (next: ApiObject, old: ApiObject) => void
  /** What is wrong with an object that is to be stored, beside its types; `old` is what it replaces. */
  validate?: (object: ApiObject, old: ApiObject | undefined) => FieldError[]
  /** Whether a status sent on create stays (nodes); else a kind with a status subresource starts without. */
  keepsStatusOnCreate: boolean
  /** Whether an immediate DELETE answers with the object itself rather than with a Status. */
  returnsDeleted: boolean
  /** Whether something beside metadata.finalizers holds an object that is being deleted. */
  isHeld?: (object: ApiObject) => boolean
  /** What becomes of an object whose deletion begins. */
  onDeletion?: (object: ApiObject) => ApiObject
  /** Seconds to wait for whoever runs the object (a kubelet) before it goes; 0 removes it at once. */
  graceSeconds?: (object: ApiObject, asked: number | undefined) => number
}

interface Subresource {
  name: string
  /** The kind of the body, where it is not the object's own. */
  kind?: string
  group?: string
  version?: string
  verbs: string[]
}

export type KindRow = Pick<Kind, 'group' | 'version' | 'plural' | 'kind'> & Partial<Kind>

/** Fills a row's defaults: a namespaced built-in kind without subresources that shows name and age. */
export function defineKind(row: KindRow): Kind {
  return {
    singular: row.kind.toLowerCase(),
    listKind: `${row.kind}List`,
    shortNames: [],
    categories: [],
    namespaced: true,
    builtIn: true,
    type: row.builtIn === false ? undefined : row.kind,
    schemaWebhook: undefined,
    deprecatedVersions: [],
    deprecation: undefined,
    nameFaults: subdomainFaults,
    isReadOnly: false,
    isDeletedSingly: false,
    hasStatus: false,
    hasGeneration: row.builtIn === false,
    keepsStatusOnCreate: false,
    returnsDeleted: false,
    unconditionalUpdate: row.builtIn !== false,
    columns: [],
    namelessTable: false,
    fields: {},
    subresources: [],
    ...row,
  }
}

export function apiVersionOf({ group, version }: { group: string; version: string }): string {
  return group === '' ? version : `${group}/${version}`
}

/** Keyed `namespace/name`; a cluster-scoped object's namespace is empty. */
export function keyOf(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`
}
