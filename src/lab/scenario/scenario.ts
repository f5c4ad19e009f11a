import type { KubeObject, Quantity } from '../../kubevirt/types.ts'
import type { GuestKind } from '../node/guest/kinds.ts'

/** A lab in a certain state: what it starts with, what is done to it then, and what is to be seen of it. */
export interface Scenario {
  name: string
  /** One line: what is wrong. */
  title: string
  /** The comment at the top of its file: what an operator sees. */
  story: string
  /** What diagnose says of it first; undefined where nothing is wrong. */
  code: string | undefined
  /** The command lines each of which says so. */
  diagnose: string[]
  /** Command lines that mend it; none where nothing is wrong. */
  mend: string[]
  /** A command line that ends well once it is mended. */
  proof: string
  lab: ScenarioLab
  /** In this order. */
  objects: ScenarioObject[]
  /** The state is reached when all of these have come. */
  until: Moment[]
}

/** As the flags of "lab up"; what is left out is as there. */
interface ScenarioLab {
  nodes?: number
  vms?: number
  /** `synthetic` where it matters that guests have something to copy: `none` is refused then. */
  guest?: GuestKind
  memory?: Quantity
  'dirty-rate'?: Quantity
}

export interface ScenarioObject {
  object: KubeObject
  /** It is applied when this has come; at once without. */
  when: Moment | undefined
}

/** Something that is waited for. */
export interface Moment {
  kind: 'vmim' | 'vmi' | 'event'
  /** Of an event, the object's that it is about; undefined: any. */
  name: string | undefined
  /** Phase, or an event's reason. */
  is: string
}

const MOMENT = /^(vmim|vmi|event)(?:\/(\S+))? (\S+)$/

/** `vmim/move Running`, `vmim Failed`, `event FailedCreate`; undefined for anything else. */
export function parseMoment(text: string): Moment | undefined {
  const [, kind, name, is] = MOMENT.exec(text) ?? []
  if (!kind || !is) return undefined
  return { kind: kind as Moment['kind'], name, is }
}

export function momentText({ kind, name, is }: Moment): string {
  return `${name === undefined ? kind : `${kind}/${name}`} ${is}`
}
