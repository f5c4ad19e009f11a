import type { Gap } from '../../evidence/evidence.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { listing } from '../words.ts'

/** In a cluster, a subject of which its own objects may not be read: nothing can be said of its stage. */
export const unreadStage: Check = {
  name: 'the subject itself',
  when: (subject, world) => unread(subject, world).length > 0,
  needs: [],
  judge(subject, world) {
    const gaps = unread(subject, world)
    const kinds = listing(gaps.map(({ what }) => what))
    return [
      finding({
        code: 'MIG0008',
        title: `How it stands with ${subject.name} is not known: ${kinds} could not be read`,
        status: 'unknown',
        objects: [subject.ref],
        evidence: gaps.map(({ what, detail }) => ({ source: what, value: detail })),
        cause: 'Whatever was found without it need not be all',
        remedy: [
          {
            text:
              subject.ref === 'cluster'
                ? 'Ask about a namespace that you may read: -n NAMESPACE; for all, ClusterRole kubevirt.io:view must be bound cluster-wide'
                : 'Ask for ClusterRole kubevirt.io:view in the namespace, or let somebody diagnose who has it',
          },
        ],
        // Whatever else is not known, this comes first.
        weight: 90,
      }),
    ]
  },
}

/** A VM without migration, or a place, is told by its VMI and by there being no migration; a migration by itself. */
function unread({ kind }: Subject, { evidence: { source, gaps } }: World): Gap[] {
  if (source.kind !== 'cluster') return []
  const own =
    kind === 'migration'
      ? ['VirtualMachineInstanceMigration']
      : ['VirtualMachineInstance', 'VirtualMachineInstanceMigration']
  return gaps.filter(({ what }) => own.includes(what))
}
