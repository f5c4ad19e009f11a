import type { Code } from './catalogue.ts'

export type Status = 'pass' | 'info' | 'warn' | 'fail' | 'unknown'
export type Confidence = 'certain' | 'likely' | 'possible'
export type EndsByItself = 'yes' | 'no' | 'unknown'

/** A value that was read, and where. */
export interface EvidenceItem {
  /** The object (`vmi/NS/NAME`) or the log and line. */
  source: string
  field?: string
  value: string
  /** When it was written or last seen, in ms. */
  time?: number
}

export interface Remedy {
  text: string
  command?: string
  /** What can be lost; remedies with a risk come last. */
  risk?: string
}

/** What one check found about one subject. */
export interface Finding {
  code: Code
  title: string
  status: Status
  /** `kind/NAMESPACE/NAME` of what it is about. */
  objects: string[]
  evidence: EvidenceItem[]
  cause?: string
  confidence: Confidence
  remedy: Remedy[]
  endsByItself?: EndsByItself
  /** When it ends at the latest, in ms. */
  deadline?: number
  /** Shifts the rank of the code where the evidence makes it explain more or less than usual. */
  weight?: number
}

type Optional = 'status' | 'objects' | 'evidence' | 'confidence' | 'remedy'

/** A finding with the usual values for what is left out: a certain failure. */
export function finding(
  given: Omit<Finding, Optional> & Partial<Pick<Finding, Optional>>,
): Finding {
  return {
    status: 'fail',
    objects: [],
    evidence: [],
    confidence: 'certain',
    remedy: [],
    ...given,
  }
}
