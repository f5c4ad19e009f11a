/** What the scheduler says about some of the nodes. */
export interface Objection {
  nodes: number
  kind:
    | 'source' /* anti-affinity: for a target pod, the node of the source */
    | 'selector'
    | 'taint'
    | 'cordon'
    | 'resource'
    | 'volume-affinity'
    | 'volume-claim'
    | 'pod-affinity'
    | 'spread'
    | 'pods'
    | 'other'
  text: string
  /** The resource, the taint's key, the claim. */
  detail?: string
}

export interface SchedulerMessage {
  /** How many nodes there are. */
  total: number
  objections: Objection[]
}

const KINDS: [RegExp, Objection['kind']][] = [
  [/were unschedulable|taint(?:s|\(s\))? \{node\.kubernetes\.io\/unschedulable/, 'cordon'],
  [
    /had untolerated taint(?:s|\(s\))?(?: \{(?<detail>[^}]*)\})?|had taint \{(?<detail2>[^}]*)\}/,
    'taint',
  ],
  [/Insufficient (?<detail>\S+)/, 'resource'],
  [
    /volume node affinity conflict|no available volume zone|didn't find available persistent volumes/,
    'volume-affinity',
  ],
  [
    /persistentvolumeclaim "(?<detail>[^"]+)" (?:not found|is being deleted)|unbound immediate PersistentVolumeClaims|ReadWriteOncePod access mode/,
    'volume-claim',
  ],
  [/pod anti-affinity|pod affinity\/anti-affinity|existing pods anti-affinity/, 'source'],
  [/pod affinity rules/, 'pod-affinity'],
  [/node affinity|node selector|requested node name/, 'selector'],
  [/topology spread constraints/, 'spread'],
  [/Too many pods/, 'pods'],
]

/**
 * Takes `0/3 nodes are available: 1 Insufficient memory, 2 node(s) …` apart, of all releases. The part on preemption
 * is left out. Counts can add up to more than the nodes: one node may lack several resources, and old schedulers counted
 * a node for each filter. Undefined when it is no such message.
 */
export function parseSchedulerMessage(message: string): SchedulerMessage | undefined {
  const match = /\b0\/(\d+) nodes are available: ?([\s\S]*)/.exec(message)
  if (!match) {
    const claim =
      /persistentvolumeclaim "([^"]+)" (?:not found|is being deleted|bound to non-existent)|unbound immediate PersistentVolumeClaims/.exec(
        message,
      )
    if (!claim) return undefined
    return {
      total: 0,
      objections: [
        {
          nodes: 0,
          kind: 'volume-claim',
          text: message.trim(),
          ...(claim[1] && { detail: claim[1] }),
        },
      ],
    }
  }
  const body = match[2]!
    .replace(/\.? (?:no new claims to deallocate, )?preemption: [\s\S]*$/, '')
    // 1.34 to 1.36 say so after what is wrong with the pod's claims (rules/placement.ts).
    .replace(/\. not found\s*$/, '')
  const objections = splitReasons(body).map(objectionOf)
  return { total: Number(match[1]), objections }
}

/** At commas that begin a new count; a comma inside a taint begins none. */
function splitReasons(body: string): string[] {
  return body
    .split(/, (?=\d+ )/)
    .map((part) => part.trim().replace(/\.+$/, ''))
    .filter((part) => part !== '')
}

function objectionOf(part: string): Objection {
  const match = /^(\d+) ([\s\S]*)$/.exec(part)
  const nodes = match ? Number(match[1]) : 0
  const text = match ? match[2]! : part
  for (const [pattern, kind] of KINDS) {
    const found = pattern.exec(text)
    if (!found) continue
    const detail = found.groups?.detail ?? found.groups?.detail2
    return {
      nodes,
      kind,
      text,
      ...(detail && { detail: detail.replace(/,? that the pod didn't tolerate/, '').trim() }),
    }
  }
  return { nodes, kind: 'other', text }
}
