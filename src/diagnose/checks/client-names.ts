import { isAtLeast, type Release } from '../../kubevirt/defaults.ts'
import type { Pod } from '../../kubevirt/types.ts'
import { LEGACY_CLIENT_NAME, MIGRATION_CLIENT_NAME } from '../../tls/names.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'

/**
 * Whether the source's release presents a name that the target's accepts: while KubeVirt is upgraded the virt-handlers of
 * both nodes are of different releases (fact sheet data-plane.md §2.3, §2.8).
 */
export const clientNames: Check = {
  name: 'names that the releases of both virt-handlers expect',
  when: ({ kind, phase, troubled }, { kubevirt }) =>
    kind === 'migration' &&
    troubled &&
    ['PreparingTarget', 'TargetReady', 'Running', 'Failed'].includes(phase) &&
    kubevirt?.spec.configuration?.migrations?.disableTLS !== true,
  needs: ['Pod'],
  judge(subject, world) {
    const [source, target] = [subject.sourceNode, subject.targetNode].map((node) =>
      world.handlers.get(node ?? ''),
    )
    const [from, to] = [source && releaseIn(source), target && releaseIn(target)]
    if (!source || !target || !from || !to) return []
    const presented = isAtLeast(from, 1, 7) ? MIGRATION_CLIENT_NAME : LEGACY_CLIENT_NAME
    const accepted = acceptedBy(target, to)
    if (accepted.includes(presented)) return []
    const ref = ({ metadata }: Pod) => `pod/${metadata.namespace ?? ''}/${metadata.name}`
    // A connection that was made before one of them was replaced lives on.
    const isMoving = subject.said.some(({ row }) => row.code === 'MIG8000')
    return [
      finding({
        code: 'MIG6004',
        title: `virt-handler of the source (${text(from)}) presents ${presented}, which that of the target (${text(to)}) refuses`,
        status: isMoving ? 'warn' : 'fail',
        objects: [ref(source), ref(target), subject.ref],
        evidence: [source, target].map((pod) => ({
          source: ref(pod),
          field: 'image',
          value: imageOf(pod) ?? '',
        })),
        cause: `The target accepts ${accepted.join(' and ')}: common name is invalid. Both virt-handlers are of different releases while KubeVirt is upgraded`,
        confidence: 'likely',
        remedy: [
          { text: 'Wait until the DaemonSet virt-handler is rolled out, and migrate again' },
          { text: 'Or migrate to a node whose virt-handler is of the same release' },
        ],
        endsByItself: 'yes',
      }),
    ]
  },
}

/** By its arguments where they say it, else by what its release does without. */
function acceptedBy(pod: Pod, release: Release): string[] {
  const container = containerOf(pod)
  const words = [container?.['command'], container?.['args']].flatMap((list) =>
    Array.isArray(list) ? list.map(String) : [],
  )
  const types = words.flatMap((word, i) =>
    word === '--migration-cn-types'
      ? (words[i + 1]?.split(',') ?? [])
      : (/^--migration-cn-types=(.*)/.exec(word)?.[1]?.split(',') ?? []),
  )
  if (types.length > 0) return types.map((type) => `kubevirt.io:system:client:${type}`)
  return isAtLeast(release, 1, 7)
    ? [LEGACY_CLIENT_NAME, MIGRATION_CLIENT_NAME]
    : [LEGACY_CLIENT_NAME]
}

/** From the tag of its image; digests and builds of others tell nothing. */
function releaseIn(pod: Pod): Release | undefined {
  const match = /:v(\d+)\.(\d+)\.\d/.exec(imageOf(pod) ?? '')
  return match ? { major: Number(match[1]), minor: Number(match[2]) } : undefined
}

function imageOf(pod: Pod): string | undefined {
  return containerOf(pod)?.image
}

function containerOf({ spec }: Pod) {
  return spec.containers.find(({ name }) => name === 'virt-handler')
}

function text({ major, minor }: Release): string {
  return `v${major}.${minor}`
}
