import { isDeepStrictEqual } from 'node:util'
import type { Container } from '../../../kubevirt/types.ts'
import { type LabelSelector, selects } from '../../../rules/label-selector.ts'
import { ageOf } from '../human-duration.ts'
import { type ApiObject, type Column, defineKind, type Kind, type KindRow } from '../kind.ts'
import type { FieldError } from '../status.ts'
import { invalid, required } from './faults.ts'
import { pick, selectorText, text } from './fields.ts'
import { templateDefaults } from './pod.ts'
import { templateFaults } from './template-validation.ts'

const AGE: Column = {
  name: 'Age',
  cell: (object, now) => ageOf(object.metadata.creationTimestamp, now),
}

const WIDE: Column[] = [
  { name: 'Containers', priority: 1, cell: (o) => ofContainers(o, ({ name }) => name) },
  { name: 'Images', priority: 1, cell: (o) => ofContainers(o, ({ image = '' }) => image) },
  { name: 'Selector', priority: 1, cell: (o) => selectorText(selectorOf(o)) },
]

const SCALE = {
  name: 'scale',
  kind: 'Scale',
  group: 'autoscaling',
  version: 'v1',
  verbs: ['get', 'patch', 'update'],
}

/** What makes pods of a template and keeps them up: Kubernetes' group apps, but for what has state. */
export const WORKLOAD_KINDS: Kind[] = [
  defineKind({
    group: 'apps',
    version: 'v1',
    plural: 'controllerrevisions',
    kind: 'ControllerRevision',
    columns: [
      { name: 'Controller', cell: controllerOf },
      { name: 'Revision', cell: (o) => pick(o, 'revision') ?? 0 },
      AGE,
    ],
  }),
  workload({
    plural: 'daemonsets',
    kind: 'DaemonSet',
    shortNames: ['ds'],
    columns: [
      count('Desired', 'status.desiredNumberScheduled'),
      count('Current', 'status.currentNumberScheduled'),
      count('Ready', 'status.numberReady'),
      count('Up-to-date', 'status.updatedNumberScheduled'),
      count('Available', 'status.numberAvailable'),
      { name: 'Node Selector', cell: (o) => pairs(pick(o, 'spec.template.spec.nodeSelector')) },
      AGE,
      ...WIDE,
    ],
    defaults: defaults({
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      revisionHistoryLimit: 10,
    }),
    prepare(object) {
      object['status'] = {
        currentNumberScheduled: 0,
        numberMisscheduled: 0,
        desiredNumberScheduled: 0,
        numberReady: 0,
      }
    },
  }),
  workload({
    plural: 'deployments',
    kind: 'Deployment',
    shortNames: ['deploy'],
    subresources: [SCALE],
    columns: [
      {
        name: 'Ready',
        cell: (o) => `${pick(o, 'status.readyReplicas') ?? 0}/${pick(o, 'spec.replicas') ?? 0}`,
      },
      count('Up-to-date', 'status.updatedReplicas'),
      count('Available', 'status.availableReplicas'),
      AGE,
      ...WIDE,
    ],
    defaults: defaults({
      replicas: 1,
      strategy: {
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' },
      },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    }),
    prepare(object) {
      object['status'] = {}
    },
  }),
  workload({
    plural: 'replicasets',
    kind: 'ReplicaSet',
    shortNames: ['rs'],
    subresources: [SCALE],
    fields: { 'status.replicas': (o) => text(o, 'status.replicas') || '0' },
    columns: [
      count('Desired', 'spec.replicas'),
      count('Current', 'status.replicas'),
      count('Ready', 'status.readyReplicas'),
      AGE,
      ...WIDE,
    ],
    defaults: defaults({ replicas: 1 }),
    prepare(object) {
      object['status'] = { replicas: 0 }
    },
  }),
]

function workload(row: Omit<KindRow, 'group' | 'version'>): Kind {
  return defineKind({
    group: 'apps',
    version: 'v1',
    categories: ['all'],
    hasStatus: true,
    hasGeneration: true,
    validate: workloadFaults,
    ...row,
  })
}

function count(name: string, path: string): Column {
  return { name, type: 'integer', cell: (object) => pick(object, path) ?? 0 }
}

function defaults(spec: object) {
  return (object: ApiObject) => {
    object['spec'] = { ...structuredClone(spec), ...(pick(object, 'spec') as object) }
    const template = pick(object, 'spec.template') as ApiObject | undefined
    if (template) templateDefaults(template)
  }
}

function workloadFaults(object: ApiObject, old: ApiObject | undefined): FieldError[] {
  const replicas = Number(pick(object, 'spec.replicas') ?? 0)
  const negative =
    replicas < 0 ? [invalid('spec.replicas', replicas, 'must be greater than or equal to 0')] : []
  return [...negative, ...selectorFaults(object, old), ...templateFaults(object, 'Always')]
}

function selectorFaults(object: ApiObject, old: ApiObject | undefined): FieldError[] {
  const selector = selectorOf(object)
  const labels = pick(object, 'spec.template.metadata.labels') as Record<string, string> | undefined
  const why = '`selector` does not match template `labels`'
  const unmatched = invalid('spec.template.metadata.labels', labels ?? null, why)
  if (!selector) return [required('spec.selector'), unmatched]
  if (old && !isDeepStrictEqual(selectorOf(old), selector))
    return [invalid('spec.selector', selector, 'field is immutable')]
  if (selects(selector, labels)) return []
  return [unmatched]
}

/** `daemonset.apps/virt-handler` */
function controllerOf({ metadata }: ApiObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller)
  if (!owner) return '<none>'
  const [group = ''] = owner.apiVersion.includes('/') ? owner.apiVersion.split('/') : []
  return `${owner.kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${owner.name}`
}

function selectorOf(object: ApiObject): LabelSelector | undefined {
  return pick(object, 'spec.selector') as LabelSelector | undefined
}

function ofContainers(object: ApiObject, of: (container: Container) => string): string {
  const containers =
    (pick(object, 'spec.template.spec.containers') as Container[] | undefined) ?? []
  return containers.map(of).join(',')
}

function pairs(labels: unknown): string {
  const all = Object.entries((labels as Record<string, string> | undefined) ?? {})
  return all.map(([key, value]) => `${key}=${value}`).join(',') || '<none>'
}
