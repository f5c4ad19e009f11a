import type {
  RecordedEvent,
  RecordedMigration,
  RecordedPod,
  RecordedQuota,
  RecordedVmi,
  State,
} from './scenario.ts'

/** The whole state at one moment, recorded or observed, with tokens for what the server made up. */
export interface Snapshot {
  migrations: Map<string, RecordedMigration>
  vmis: Map<string, RecordedVmi>
  pods: Map<string, RecordedPod>
  quotas: Map<string, RecordedQuota>
  events: RecordedEvent[]
  /** `migrations/NAME` …: what must not be there. Only in what is expected. */
  gone: Set<string>
}

export function emptySnapshot(): Snapshot {
  return {
    migrations: new Map(),
    vmis: new Map(),
    pods: new Map(),
    quotas: new Map(),
    events: [],
    gone: new Set(),
  }
}

/** The state after one more step: what is listed replaces, what is not stays, what is gone goes. */
export function advance(before: Snapshot, state: State): Snapshot {
  const after: Snapshot = {
    migrations: replaced(before.migrations, state.migrations),
    vmis: replaced(before.vmis, state.vmis),
    pods: replaced(before.pods, state.pods),
    quotas: new Map(before.quotas),
    events: [...before.events, ...(state.events ?? [])],
    gone: new Set(before.gone),
  }
  for (const quota of state.quotas ?? []) after.quotas.set(quota.metadata.name, quota)
  for (const reference of state.gone ?? []) {
    const [kind = '', name = ''] = reference.split('/')
    const objects = after[kind as keyof Snapshot]
    if (objects instanceof Map) objects.delete(name)
    after.gone.add(reference)
  }
  for (const reference of after.gone) {
    const [kind = '', name = ''] = reference.split('/')
    const objects = after[kind as keyof Snapshot]
    // A name may come back in a later step.
    if (objects instanceof Map && objects.has(name)) after.gone.delete(reference)
  }
  return after
}

function replaced<T extends { name: string }>(
  before: Map<string, T>,
  listed: T[] | undefined,
): Map<string, T> {
  const after = new Map(before)
  for (const object of listed ?? []) after.set(object.name, object)
  return after
}
