import { X509Certificate } from 'node:crypto'
import type { KubeObject } from '../../kubevirt/types.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { listing, moment } from '../words.ts'

type WithData = KubeObject & { data?: Record<string, string> }

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g

/**
 * The authorities that virt-handler trusts (ConfigMap kubevirt-ca), as far as they were read. Old ones stay in the bundle
 * after a rotation and do no harm; without a single valid one no proxy trusts another (data-plane.md §2.3, §2.4).
 */
export const trust: Check = {
  name: 'authorities that virt-handler trusts',
  when: ({ troubled, phase, kind }) =>
    troubled && kind === 'migration' && !['', 'Pending', 'Scheduling'].includes(phase),
  needs: ['ConfigMap'],
  judge(subject, { evidence, kubevirt, now }) {
    if (kubevirt?.spec.configuration?.migrations?.disableTLS === true) return []
    const bundle = evidence.objects
      .list<WithData>('ConfigMap')
      .find(({ metadata }) => metadata.name === 'kubevirt-ca')
    const authorities = (bundle?.data?.['ca-bundle']?.match(PEM) ?? []).flatMap(parsed)
    const isValid = ({ validFrom, validTo }: X509Certificate) =>
      now >= Date.parse(validFrom) && now <= Date.parse(validTo)
    if (!bundle || authorities.length === 0 || authorities.some(isValid)) return []
    const ref = `configmap/${bundle.metadata.namespace ?? ''}/${bundle.metadata.name}`
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

function parsed(pem: string): X509Certificate[] {
  try {
    return [new X509Certificate(pem)]
  } catch {
    return []
  }
}
