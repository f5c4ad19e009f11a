import type { Gap } from '../evidence/evidence.ts'
import type { Finding } from './finding.ts'
import type { Subject, World } from './subject.ts'

/** One thing that is explained, by evidence that it names. */
export interface Check {
  /** A name for people who read the coverage. */
  name: string
  /** Whether it has anything to say about such a subject; what does not apply does not count as unread. */
  when: (subject: Subject, world: World) => boolean
  /** Kinds without which it cannot judge; the engine reports it as not evaluated when one is unread. */
  needs: string[]
  /** What else it cannot judge without, where that was not read. */
  unread?: (subject: Subject, world: World) => Gap | undefined
  /** What it judges less surely without, where that was not read. */
  unsure?: (subject: Subject, world: World) => Gap | undefined
  judge: (subject: Subject, world: World) => Finding[]
}
