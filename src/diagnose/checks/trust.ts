import type { X509Certificate } from 'node:crypto'
import type { KubeObject } from '../../kubevirt/types.ts'
import { parseBundle } from '../../tls/chain.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import type { World } from '../subject.ts'
import { listing, moment } from '../words.ts'

type WithData = KubeObject & { data?: Record<string, string> }

/**
 * The authorities that virt-handler trusts (ConfigMap kubevirt-ca), as far as they were read. Old ones stay in the bundle
 * after a rotation and do no harm; without a single valid one no proxy trusts another (data-plane.md §2.3, §2.4).
 */
export const trust: Check = {
  name: 'authorities that virt-handler trusts',
  when: ({ troubled, phase, kind }) =>
    troubled && kind === 'migration' && !['', 'Pending', 'Scheduling'].includes(phase),
  needs: ['ConfigMap'],
  judge(subject, world) {
    const { kubevirt, now } = world
    if (kubevirt?.spec.configuration?.migrations?.disableTLS === true) return []
    const bundle = trustedBundle(world)
    const isValid = ({ validFrom, validTo }: X509Certificate) =>
      now >= Date.parse(validFrom) && now <= Date.parse(validTo)
    if (!bundle || bundle.authorities.length === 0 || bundle.authorities.some(isValid)) return []
    const { ref, authorities } = bundle
    const spans = authorities.map(
      ({ validFrom, validTo }) =>
        `${moment(Date.parse(validFrom))} to ${moment(Date.parse(validTo))}`,
    )
    return [
      finding({
        code: 'MIG6003',
        title: 'No certificate authority in kubevirt-ca is valid now',
        objects: [ref, subject.ref],
        evidence: [{ source: ref, field: 'ca-bundle', value: `valid from ${listing(spans)}` }],
        cause: 'virt-operator renews them; it has not, or a clock is wrong',
        confidence: 'likely',
        remedy: [{ text: 'See virt-operator and its log, and the time on the nodes' }],
        endsByItself: 'no',
      }),
    ]
  },
}

/** The ConfigMap kubevirt-ca, where it was read. */
export function trustedBundle({
  evidence,
}: World): { ref: string; authorities: X509Certificate[] } | undefined {
  const found = evidence.objects
    .list<WithData>('ConfigMap')
    .find(({ metadata }) => metadata.name === 'kubevirt-ca')
  if (!found) return undefined
  const { namespace = '', name } = found.metadata
  const authorities = parseBundle(found.data?.['ca-bundle'] ?? '')
  return { ref: `configmap/${namespace}/${name}`, authorities }
}
