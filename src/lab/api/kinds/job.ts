import { ageOf } from '../human-duration.ts'
import { type ApiObject, type Column, defineKind } from '../kind.ts'
import { invalid } from './faults.ts'
import { pick, text } from './fields.ts'
import { templateDefaults } from './pod.ts'
import { templateFaults } from './template-validation.ts'

const AGE: Column = {
  name: 'Age',
  cell: (object, now) => ageOf(object.metadata.creationTimestamp, now),
}

export const JOB = defineKind({
  group: 'batch',
  version: 'v1',
  plural: 'jobs',
  kind: 'Job',
  categories: ['all'],
  hasStatus: true,
  hasGeneration: true,
  columns: [
    { name: 'Status', cell: jobStatus },
    {
      name: 'Completions',
      cell: (o) => `${pick(o, 'status.succeeded') ?? 0}/${pick(o, 'spec.completions') ?? 1}`,
    },
    { name: 'Duration', cell: jobDuration },
    AGE,
  ],
  defaults(object) {
    const spec = { ...JOB_DEFAULTS, ...(pick(object, 'spec') as object) }
    object['spec'] = spec
    const template = pick(object, 'spec.template') as ApiObject | undefined
    const asked = pick(template, 'spec.restartPolicy')
    if (!template) return
    templateDefaults(template)
    // A job has no default: who writes one says it.
    if (asked === undefined)
      delete (pick(template, 'spec') as { restartPolicy?: string }).restartPolicy
  },
  prepare(object) {
    const { name, uid } = object.metadata
    const own = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': name,
      'controller-uid': uid,
      'job-name': name,
    }
    const spec = pick(object, 'spec') as { selector?: object; template?: ApiObject }
    spec.selector ??= { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } }
    const metadata = spec.template?.metadata
    if (spec.template)
      spec.template = {
        ...spec.template,
        metadata: { ...metadata, labels: { ...metadata?.labels, ...own } },
      } as ApiObject
    object['status'] = {}
  },
  validate(object, old) {
    if (old) return []
    const parallelism = Number(pick(object, 'spec.parallelism') ?? 0)
    return [
      ...(parallelism < 0
        ? [invalid('spec.parallelism', parallelism, 'must be greater than or equal to 0')]
        : []),
      ...templateFaults(object, 'ends'),
    ]
  },
})

const JOB_DEFAULTS = {
  parallelism: 1,
  completions: 1,
  backoffLimit: 6,
  manualSelector: false,
  completionMode: 'NonIndexed',
  suspend: false,
  podReplacementPolicy: 'TerminatingOrFailed',
}

function jobStatus(object: ApiObject): string {
  const conditions = (pick(object, 'status.conditions') as { type: string; status: string }[]) ?? []
  const met = (type: string) => conditions.some((c) => c.type === type && c.status === 'True')
  if (met('Complete')) return 'Complete'
  if (met('Failed')) return 'Failed'
  if (object.metadata.deletionTimestamp) return 'Terminating'
  return met('Suspended') ? 'Suspended' : 'Running'
}

function jobDuration(object: ApiObject, now: number): string {
  const start = text(object, 'status.startTime')
  if (start === '') return ''
  const end = Date.parse(text(object, 'status.completionTime'))
  return ageOf(start, Number.isNaN(end) ? now : end)
}
