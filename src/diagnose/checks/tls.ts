import { X509Certificate } from 'node:crypto'
import type { KubeObject } from '../../kubevirt/types.ts'
import { isTrusted } from '../../tls/chain.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { moment } from '../words.ts'
import { trustedBundle } from './trust.ts'

/** Certificates of the proxies whose time is over or whose signer nobody trusts, as far as their public part was read. */
export const certificates: Check = {
  name: 'certificates of the migration proxy',
  // A cluster is never asked for Secrets: there, certificates are read where they are mounted.
  when: ({ troubled, phase }, { evidence }) =>
    troubled && !['', 'Pending', 'Scheduling'].includes(phase) && evidence.source.kind === 'files',
  needs: ['Secret'],
  judge(subject, world) {
    const secrets = world.evidence.objects.list<Secret>('Secret')
    return secrets
      .filter(({ metadata }) => USED.test(metadata.name))
      .flatMap((secret) => judgeSecret(secret, subject, world))
  },
}

type Secret = KubeObject & { data?: Record<string, string> }

/** Of the Secrets of virt-handler those that migrations use; others are for consoles, metrics and vsock. */
const USED = /virt-handler-(?:server-|migration-client-)?certs$/

function judgeSecret(secret: Secret, subject: Subject, world: World): Finding[] {
  const certificate = parse(secret.data?.['tls.crt'])
  if (!certificate) return []
  const { namespace = '', name } = secret.metadata
  const source = `secret/${namespace}/${name}`
  const objects = [source, subject.ref]
  const remedy = [
    { text: 'See virt-operator and its log; deleting the Secret makes it issue a new one' },
  ]
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]
  const found: Finding[] = []
  if (world.now < from || world.now > to)
    found.push(
      finding({
        code: 'MIG6003',
        title: `The certificate in Secret ${name} ${world.now > to ? 'has expired' : 'is not yet valid'}`,
        objects,
        evidence: [
          { source, field: 'tls.crt', value: `valid from ${moment(from)} to ${moment(to)}` },
        ],
        cause: 'virt-operator renews these certificates; it has not, or a clock is wrong',
        remedy,
      }),
    )
  const bundle = trustedBundle(world)
  if (bundle && bundle.authorities.length > 0 && !isTrusted([certificate], bundle.authorities))
    found.push(
      finding({
        code: 'MIG6002',
        title: `The certificate in Secret ${name} is signed by an authority that is not in kubevirt-ca`,
        objects: [...objects, bundle.ref],
        evidence: [
          { source, field: 'tls.crt', value: certificate.issuer.replaceAll('\n', ', ') },
          {
            source: bundle.ref,
            field: 'ca-bundle',
            value: bundle.authorities
              .map(({ subject: of }) => of.replaceAll('\n', ', '))
              .join('; '),
          },
        ],
        cause: 'virt-handler trusts what is in that ConfigMap: the other side refuses it',
        remedy,
      }),
    )
  return found
}

function parse(text: string | undefined): X509Certificate | undefined {
  if (!text) return undefined
  try {
    return new X509Certificate(text.includes('BEGIN') ? text : Buffer.from(text, 'base64'))
  } catch {
    return undefined
  }
}

/** One side with TLS, the other without: the setting, and that it may have changed. */
export const tlsMismatch: Check = {
  name: 'TLS on both sides',
  when: ({ said, troubled }) =>
    troubled && said.some(({ row }) => row.code === 'MIG6001' && row.worth === 'cause'),
  needs: [],
  judge(subject, world) {
    const said = subject.said.filter(({ row }) => row.code === 'MIG6001')
    const setting = world.kubevirt?.spec.configuration?.migrations?.disableTLS
    return [
      finding({
        code: 'MIG6001',
        title:
          'TLS mismatch: one virt-handler speaks TLS, the other answers without (first record does not look like a TLS handshake)',
        objects: [subject.ref],
        evidence: [
          ...said.slice(0, 2).map(({ source, quote, time }) => ({
            source,
            value: quote,
            ...(time !== undefined && { time }),
          })),
          ...(world.kubevirt
            ? [
                {
                  source: 'kubevirt',
                  field: 'spec.configuration.migrations.disableTLS',
                  value: String(setting ?? 'unset (TLS is on)'),
                },
              ]
            : []),
        ],
        cause:
          'Each virt-handler reads disableTLS when it opens its proxy: the two saw different values, because it was changed shortly before, or one of them has a stale configuration',
        confidence: 'likely',
        remedy: [
          { text: 'Migrate again (retry) once both virt-handlers have the same configuration' },
          ...(setting
            ? [
                {
                  text: 'Consider switching TLS on again: disableTLS also removes the check of who the peer is',
                },
              ]
            : []),
        ],
        endsByItself: 'yes',
      }),
    ]
  },
}

/** Of interest to those who look at proxies: what crosses the network is not encrypted. */
export const tlsOff: Check = {
  name: 'TLS of migrations',
  when: (_subject, { evidence }) => evidence.probes !== undefined,
  needs: ['KubeVirt'],
  judge(subject, { kubevirt }) {
    if (kubevirt?.spec.configuration?.migrations?.disableTLS !== true) return []
    return [
      finding({
        code: 'MIG6013',
        title: "TLS of migrations is switched off: the guest's memory crosses the network in clear",
        status: 'info',
        objects: [subject.ref],
        evidence: [
          {
            source: 'kubevirt',
            field: 'spec.configuration.migrations.disableTLS',
            value: 'true',
          },
        ],
      }),
    ]
  },
}
