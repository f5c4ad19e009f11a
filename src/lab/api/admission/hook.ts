import type { ApiObject, Kind } from '../kind.ts'
import type { ResourceName } from '../status.ts'
import type { UserInfo } from '../users.ts'

/** What admission may look at beside the request: the objects as they are, by resource. */
export interface Reader {
  get(resource: ResourceName, namespace: string | undefined, name: string): ApiObject | undefined
  list(resource: ResourceName, namespace?: string): ApiObject[]
}

export interface AdmissionRequest {
  operation: 'CREATE' | 'UPDATE' | 'DELETE'
  kind: Kind
  subresource: string
  namespace: string | undefined
  name: string
  /** The new state; undefined on DELETE. */
  object: ApiObject | undefined
  /** The state before; undefined on CREATE. */
  oldObject: ApiObject | undefined
  user: UserInfo
  dryRun: boolean
  /** ms since the epoch. */
  now: number
  read: Reader
  /** Adds a Warning header to the response. */
  warn(message: string): void
}

/**
 * One webhook or admission plug-in. All `mutate` run before all `validate`; a refusal is a StatusError.
 * What `validate` returns runs after the object was written (never on a dry run): the place to charge a quota.
 */
export interface AdmissionHook {
  handles(request: AdmissionRequest): boolean
  /** What becomes of the object; its request's object is not to be changed. */
  mutate?(request: AdmissionRequest & { object: ApiObject }): ApiObject
  // biome-ignore lint/suspicious/noConfusingVoidType: most hooks return nothing.
  validate?(request: AdmissionRequest): (() => void) | void
}

/** The request's object after all hooks had their way. */
export function runMutation(
  hooks: AdmissionHook[],
  request: AdmissionRequest & { object: ApiObject },
): ApiObject {
  let { object } = request
  for (const hook of hooks) {
    const current = { ...request, object }
    if (hook.mutate && hook.handles(current)) object = hook.mutate(current)
  }
  return object
}

/** Returns what is to be done once the object is written. */
export function runValidation(hooks: AdmissionHook[], request: AdmissionRequest): (() => void)[] {
  const effects: (() => void)[] = []
  for (const hook of hooks) {
    if (!hook.validate || !hook.handles(request)) continue
    const effect = hook.validate(request)
    if (effect) effects.push(effect)
  }
  return effects
}
