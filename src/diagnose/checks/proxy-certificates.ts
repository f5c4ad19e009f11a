import type { X509Certificate } from 'node:crypto'
import { timeOf } from '../../kubevirt/migration.ts'
import type { CertificateFolder } from '../../probe/commands.ts'
import { type Certificate, certificateLine, describeX509 } from '../../tls/certificate.ts'
import { isTrusted, parseBundle } from '../../tls/chain.ts'
import { LEGACY_CLIENT_NAME, MIGRATION_CLIENT_NAME, SERVER_NAME } from '../../tls/names.ts'
import { channelsOf, gapOf, probeOf } from '../channels.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { listing, moment } from '../words.ts'
import { trustedBundle } from './trust.ts'

/** A certificate that a proxy presents to the other. */
interface Presented {
  role: 'source' | 'target'
  node: string
  pod: string
  /** Its file, or how it was seen. */
  where: string
  /** Its own, then what came with it. */
  chain: X509Certificate[]
  expected: string
}

const NAMES: Record<CertificateFolder, string> = {
  servercertificates: SERVER_NAME,
  migrationservercertificates: MIGRATION_CLIENT_NAME,
  clientcertificates: LEGACY_CLIENT_NAME,
}

/**
 * What the proxies of both sides present, as far as it was read on the nodes: dates, name, usage, and whether its signer is
 * among the authorities that virt-handler trusts (fact sheet data-plane.md §2.1–2.3, §2.7).
 */
export const presentedCertificates: Check = {
  name: 'certificates that the proxies present',
  when: (subject, world) =>
    probeOf(subject, world)?.source !== undefined &&
    subject.phase !== 'Succeeded' &&
    !isPlain(world),
  needs: [],
  unread(subject, world) {
    const { source, target } = probeOf(subject, world) ?? {}
    const read = [...(source?.certificates ?? []), ...(target?.certificates ?? [])]
    return read.map(({ pem }) => gapOf(pem)).find((gap) => gap !== undefined)
  },
  judge(subject, world) {
    const bundle = trustedBundle(world)
    return presentedBy(subject, world).flatMap((one) => judgeOne(one, bundle, subject, world))
  },
}

function isPlain({ kubevirt }: World): boolean {
  return kubevirt?.spec.configuration?.migrations?.disableTLS === true
}

function presentedBy(subject: Subject, world: World): Presented[] {
  const { source, target, handshake } = probeOf(subject, world) ?? {}
  const files = [source, target].flatMap((side) =>
    (side?.certificates ?? []).flatMap(({ folder, pem }): Presented[] => {
      const chain = pem.state === 'read' ? parseBundle(pem.value) : []
      if (!side || chain.length === 0) return []
      const role = side === source ? 'source' : 'target'
      const where = `/etc/virt-handler/${folder}/tls.crt`
      return [{ role, node: side.node, pod: side.pod, where, chain, expected: NAMES[folder] }]
    }),
  )
  if (handshake?.state !== 'read' || handshake.value.spoke !== 'tls' || !target) return files
  const { node, pod } = target
  const chain = parseBundle(handshake.value.certificates)
  const where = 'presented in a TLS handshake'
  return [...files, { role: 'target', node, pod, where, chain, expected: SERVER_NAME }]
}

function judgeOne(
  one: Presented,
  bundle: { ref: string; authorities: X509Certificate[] } | undefined,
  subject: Subject,
  world: World,
): Finding[] {
  const [leaf] = one.chain
  if (!leaf) return []
  const certificate = describeX509(leaf)
  const whose = `of the ${one.role} ${one.node}`
  const wanted = one.role === 'target' ? 'server' : 'client'
  const base = {
    objects: [one.pod, subject.ref, `node/${one.node}`],
    evidence: [{ source: one.pod, field: one.where, value: certificateLine(certificate) }],
    status: isCause(subject, world) ? ('fail' as const) : ('warn' as const),
    confidence: subject.phase === 'Failed' ? ('likely' as const) : ('certain' as const),
    endsByItself: 'no' as const,
    weight: 8,
  }
  const found: Finding[] = []
  // What has failed is judged by the certificate's dates at that time.
  const at = timeOf(subject.state?.endTimestamp) ?? world.now
  if (at > certificate.notAfter || at < certificate.notBefore)
    found.push(
      finding({
        ...base,
        code: 'MIG6003',
        title: `The certificate ${whose} ${at > certificate.notAfter ? `has expired on ${moment(certificate.notAfter)}` : `is not valid before ${moment(certificate.notBefore)}`}`,
        cause: `The ${otherOf(one)} refuses it. virt-operator renews these certificates a fifth of their life before they end; it has not, the new one was not mounted, or a clock is wrong`,
        remedy: [
          { text: 'See virt-operator and its log, and the time on the nodes' },
          { text: `Restart virt-handler on ${one.node} if its Secret holds a newer one` },
        ],
      }),
    )
  if (bundle && bundle.authorities.length > 0 && !isTrusted(one.chain, bundle.authorities))
    found.push(
      finding({
        ...base,
        code: 'MIG6002',
        title: `The certificate ${whose} is signed by ${certificate.issuer}, which is not in kubevirt-ca`,
        objects: [...base.objects, bundle.ref],
        evidence: [
          ...base.evidence,
          { source: bundle.ref, field: 'ca-bundle', value: authoritiesText(bundle.authorities) },
        ],
        cause: `Both sides trust what is in the ConfigMap kubevirt-ca: the ${otherOf(one)} refuses it (x509: certificate signed by unknown authority)`,
        remedy: [
          {
            text: `See why virt-handler on ${one.node} has a certificate of another authority: an old mount, or a Secret that was not made by virt-operator`,
          },
          { text: 'Across clusters: import the authority into the ConfigMap kubevirt-external-ca' },
        ],
      }),
    )
  if (certificate.commonName !== one.expected)
    found.push(
      finding({
        ...base,
        code: 'MIG6004',
        title: `The certificate ${whose} is named ${certificate.commonName || 'nothing'}, the ${otherOf(one)} expects ${one.expected}`,
        cause: `It is refused: common name is invalid, got ${certificate.commonName}`,
        remedy: [
          {
            text: `See which Secret is mounted at ${one.where}${skewed(certificate) ? '; finish the upgrade: releases up to 1.6 use one name, newer ones another' : ''}`,
          },
        ],
      }),
    )
  if (certificate.usages.length > 0 && !certificate.usages.includes(wanted))
    found.push(
      finding({
        ...base,
        code: 'MIG6010',
        title: `The certificate ${whose} is no ${wanted} certificate`,
        cause: `The ${otherOf(one)} refuses it (x509: certificate specifies an incompatible key usage)`,
        remedy: [{ text: 'Compare the Secrets that are mounted in virt-handler' }],
      }),
    )
  return found
}

function otherOf({ role }: Presented): string {
  return role === 'source' ? 'target' : 'source'
}

/**
 * Who is connected already is not asked again; and where logs tell why it failed, and it was not TLS, the next attempt will
 * meet this one.
 */
function isCause(subject: Subject, world: World): boolean {
  if (subject.phase === 'Failed') {
    const told = subject.said.filter(({ worth }) => worth === 'cause').map(({ row }) => row.code)
    const isTls = told.some((code) => code.startsWith('MIG6') || code === 'MIG5011')
    return isTls || !told.some((code) => /^MIG[57]/.test(code) && code !== 'MIG5000')
  }
  return !channelsOf(subject, world).some(
    ({ connection }) => typeof connection === 'object' && connection.flow?.kind === 'flowing',
  )
}

function skewed({ commonName }: Certificate): boolean {
  return [LEGACY_CLIENT_NAME, MIGRATION_CLIENT_NAME].includes(commonName)
}

function authoritiesText(authorities: readonly X509Certificate[]): string {
  return listing(authorities.map((one) => describeX509(one).commonName))
}
