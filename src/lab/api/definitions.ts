import type { KubeObject } from '../../kubevirt/types.ts'
import type { Column, Kind } from './kind.ts'
import { ALL_KINDS } from './kinds/index.ts'
import { structuralSchema } from './openapi/schemas.ts'

/** CustomResourceDefinitions of all kinds that Kubernetes doesn't have itself, made of the embedded server's rows. */
export function definitions(): KubeObject[] {
  return customKinds().map(definitionOf)
}

/** What Kubernetes doesn't have itself. */
export function customKinds(): Kind[] {
  return ALL_KINDS.filter(({ builtIn }) => !builtIn)
}

function definitionOf(kind: Kind): KubeObject {
  const { group, plural, singular, listKind, shortNames, categories } = kind
  const names = {
    plural,
    singular,
    ...(shortNames.length > 0 && { shortNames }),
    kind: kind.kind,
    listKind,
    ...(categories.length > 0 && { categories }),
  }
  const versions = [kind.version, ...kind.deprecatedVersions].map((version) => ({
    name: version,
    served: true,
    storage: version === kind.version,
    ...deprecationOf(kind, version),
    schema: { openAPIV3Schema: schemaOf(kind) },
    subresources: kind.hasStatus ? { status: {} } : {},
    additionalPrinterColumns: kind.columns.map(printerColumn),
  }))
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, annotations: approval(group) },
    spec: { group, names, scope: kind.namespaced ? 'Namespaced' : 'Cluster', versions },
  } as unknown as KubeObject
}

/** Groups of Kubernetes' own domains are taken only from who says that they were approved. */
function approval(group: string): Record<string, string> {
  return /(^|\.)k8s\.io$/.test(group)
    ? { 'api-approved.kubernetes.io': 'unapproved, lab only' }
    : {}
}

function deprecationOf(kind: Kind, version: string): object {
  const deprecationWarning = kind.deprecation?.(version)
  return deprecationWarning === undefined ? {} : { deprecated: true, deprecationWarning }
}

function schemaOf({ type }: Kind): object {
  if (type === undefined) return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const schema = structuralSchema(type) as { properties: object }
  // Of metadata, a definition may say nothing: it is Kubernetes' own.
  return { ...schema, properties: { ...schema.properties, ...ROOT } }
}

const ROOT = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { type: 'object' },
}

function printerColumn({ name, type = 'string', priority = 0, cell, jsonPath }: Column): object {
  const path = jsonPath ?? `.${cell}`
  return { name, type, jsonPath: path, ...(priority > 0 && { priority }) }
}
