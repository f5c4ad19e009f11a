import type { Node, Pod } from '../../kubevirt/types.ts'
import type { EvidenceItem, Finding, Remedy } from '../finding.ts'
import type { SchedulerMessage } from '../scheduler-message.ts'
import type { Subject, World } from '../subject.ts'

/** A target pod for which the scheduler finds no node, with what is around it. */
export interface Unplaced {
  subject: Subject
  world: World
  /** Undefined when the pod is gone and only its event is left. */
  pod: Pod | undefined
  podName: string
  message: string
  parsed: SchedulerMessage | undefined
  /** All nodes but the source. */
  others: Node[]
}

/** What is decided about an unplaced pod: the code, what to say, and of whose making the constraint is. */
export interface PlacementVerdict {
  code: Finding['code']
  title: string
  cause: string
  remedy: Remedy[]
  objects?: string[]
  evidence?: EvidenceItem[]
}
