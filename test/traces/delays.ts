import type { Scenario, Write } from './scenario.ts'

/** A pod that KubeVirt made or deleted some time after what started it: a time-out, a back-off, a throttle. */
export interface RecordedDelay {
  verb: 'create' | 'delete'
  /** With its token. */
  pod: string
  /** The number of the input, over all steps, that started it. */
  input: number
  /** The number of its step. */
  step: number
  /** Seconds. */
  seconds: number
}

/** A replay may differ by so much, in s; what took no longer is no time-out. */
export const TOLERANCE = 3

/** Which delays a replay has to keep. */
export function recordedDelays({ steps }: Pick<Scenario, 'steps'>): RecordedDelay[] {
  const inputs = steps.flatMap((step) => step.inputs)
  const writes = steps.flatMap((step) =>
    (step.writes ?? []).map((write) => ({ ...write, step: step.step })),
  )
  return writes.flatMap((write) => {
    if (!isPodWrite(write)) return []
    const input = inputs.findLastIndex(({ t }) => t <= write.t)
    const started = inputs[input]
    if (!started || write.t - started.t <= TOLERANCE) return []
    // One that was refused before is tried again with growing delays; when that is depends on the first try.
    const retried = writes.some(
      (other) =>
        other.kind === 'Pod' &&
        other.verb === 'create' &&
        other.code !== undefined &&
        other.t < write.t,
    )
    if (write.verb === 'create' && retried) return []
    const { verb, name: pod = '', step } = write
    return [{ verb: verb as 'create' | 'delete', pod, input, step, seconds: write.t - started.t }]
  })
}

function isPodWrite({ by, kind, verb, code, subresource }: Write): boolean {
  return (
    by === 'virt-controller' &&
    kind === 'Pod' &&
    subresource === undefined &&
    code === undefined &&
    (verb === 'create' || verb === 'delete')
  )
}
