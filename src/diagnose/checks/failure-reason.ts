import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { short } from '../words.ts'
import { objectsOf, placesOf } from './texts.ts'

/** A reason that no known text covers: quoted, without its wrapping. */
export const otherReason: Check = {
  name: 'reason of the failure',
  when: ({ phase, state, migration }) =>
    phase === 'Failed' &&
    !!(state?.failureReason ?? migration?.status?.migrationState?.failureReason),
  needs: [],
  judge(subject) {
    const reason =
      subject.state?.failureReason ?? subject.migration?.status?.migrationState?.failureReason ?? ''
    if (
      subject.said.some(({ hit, field }) => !hit && field === 'status.migrationState.failureReason')
    )
      return []
    const virError = /virError\(Code=(\d+), Domain=(\d+), Message='([\s\S]*?)'\)$/.exec(
      reason.trim(),
    )
    const text = virError ? virError[3]! : reason
    return [
      finding({
        code: 'MIG8027',
        title: `The copy of ${subject.name} failed: ${short(text, 220)}`,
        objects: objectsOf(subject),
        evidence: [
          {
            source: subject.ref,
            field: 'status.migrationState.failureReason',
            value: short(reason),
          },
        ],
        cause: `${virError ? `libvirt’s error ${virError[1]} (domain ${virError[2]}); the text is not in the table of known ones` : 'The text is not in the table of known ones'}. ${placesOf(subject)}`,
        confidence: 'possible',
        remedy: [
          {
            text: 'Read the logs of both launchers (compute), and QEMU’s log of the target, of that second',
          },
        ],
      }),
    ]
  },
}
