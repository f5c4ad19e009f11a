import type { ApiObject } from '../kind.ts'
import type { FieldError } from '../status.ts'
import { invalid, required, unsupported } from './faults.ts'
import { pick, text } from './fields.ts'

interface Rule {
  verbs?: string[]
  apiGroups?: string[]
  resources?: string[]
  nonResourceURLs?: string[]
}

function lacking(field: string, why: string): FieldError {
  return { ...required(field), message: `Required value: ${why}` }
}

/** What is wrong with a role. @param namespaced whether its rules are of one namespace */
export function roleFaults(object: ApiObject, namespaced: boolean): FieldError[] {
  const rules = (pick(object, 'rules') ?? []) as Rule[]
  return rules.flatMap(({ verbs = [], apiGroups = [], resources = [], nonResourceURLs }, i) => {
    const at = `rules[${i}]`
    const faults =
      verbs.length > 0 ? [] : [lacking(`${at}.verbs`, 'verbs must contain at least one value')]
    if (nonResourceURLs && nonResourceURLs.length > 0) {
      const wrong = (why: string) => invalid(`${at}.nonResourceURLs`, nonResourceURLs, why)
      if (namespaced) faults.push(wrong('namespaced rules cannot apply to non-resource URLs'))
      if (apiGroups.length > 0 || resources.length > 0)
        faults.push(wrong('rules cannot apply to both regular resources and non-resource URLs'))
      return faults
    }
    if (apiGroups.length === 0)
      faults.push(lacking(`${at}.apiGroups`, 'resource rules must supply at least one api group'))
    if (resources.length === 0)
      faults.push(lacking(`${at}.resources`, 'resource rules must supply at least one resource'))
    return faults
  })
}

/** What is wrong with a binding, whose role stays what it is. @param roles kinds that it may be of */
export function bindingFaults(
  object: ApiObject,
  old: ApiObject | undefined,
  roles: readonly string[],
): FieldError[] {
  const kind = text(object, 'roleRef.kind')
  const subjects = (pick(object, 'subjects') ?? []) as { kind?: string; name?: string }[]
  const before = old && JSON.stringify(pick(old, 'roleRef'))
  const roleRef = pick(object, 'roleRef')
  return [
    ...(roles.includes(kind) ? [] : [unsupported('roleRef.kind', kind, roles)]),
    ...(text(object, 'roleRef.name') === '' ? [required('roleRef.name')] : []),
    ...subjects.flatMap(({ kind: of = '', name }, i) => [
      ...(name ? [] : [required(`subjects[${i}].name`)]),
      ...(SUBJECTS.includes(of) ? [] : [unsupported(`subjects[${i}].kind`, of, SUBJECTS)]),
    ]),
    ...(before !== undefined && before !== JSON.stringify(roleRef)
      ? [invalid('roleRef', internally(roleRef), 'cannot change roleRef')]
      : []),
  ]
}

/** As it is called within Kubernetes. */
function internally(roleRef: unknown): object {
  const { apiGroup: APIGroup, kind: Kind, name: Name } = (roleRef ?? {}) as Record<string, string>
  return { APIGroup, Kind, Name }
}

const SUBJECTS = ['ServiceAccount', 'User', 'Group']
