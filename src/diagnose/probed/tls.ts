import type { X509Certificate } from 'node:crypto'
import type { TlsSighting } from '../../probe/local-tls.ts'
import { type Certificate, certificateLine, describeX509 } from '../../tls/certificate.ts'
import { isTrusted, parseBundle } from '../../tls/chain.ts'
import { explainTlsFailure } from '../../tls/mismatch.ts'
import { CATALOGUE, type Code } from '../catalogue.ts'
import { type Finding, finding } from '../finding.ts'
import type { Question } from '../questions.ts'
import { listing, moment } from '../words.ts'
import { addressOf, connectStep, unreachable } from './listener.ts'
import type { Probed } from './report.ts'

export interface Expected {
  /** What we present, its own first; undefined when nothing. */
  ours: X509Certificate[] | undefined
  /** What we trust. */
  authorities: X509Certificate[]
  /** Common Names of the peer. */
  names: readonly string[]
  /** ms since the epoch. */
  now: number
}

/** What a TLS handshake with a target's proxy told: as a source's proxy would find it (fact sheet data-plane.md §2.7). */
export function judgeTls(seen: TlsSighting, expected: Expected): Probed {
  const { tcp, handshake } = seen
  const ref = `tls:${addressOf(tcp)}`
  const steps = [connectStep(tcp)]
  const lost = unreachable(tcp)
  if (lost) return { ref, stage: tcp.outcome, steps, findings: [lost] }
  const address = addressOf(tcp)
  if (handshake?.spoke !== 'tls') {
    const error =
      handshake === undefined || handshake.spoke === 'silent' ? 'TIMEOUT' : errorOf(handshake)
    steps.push({ question: 'TLS?', status: 'fail', answer: `not finished: ${error}` })
    return {
      ref,
      stage: 'connected',
      steps,
      findings: [explained(error, undefined, address, expected)],
    }
  }
  const chain = parseBundle(handshake.certificates)
  const [theirs] = chain.map(describeX509)
  steps.push({ question: 'TLS?', status: 'pass', answer: handshake.protocol })
  const judged = theirs
    ? judgeCertificate(chain, theirs, expected)
    : [{ step: NO_CERTIFICATE, error: 'NO_PEER_CERTIFICATE' }]
  const errors = judged.flatMap(({ step, error }) => {
    steps.push(step)
    return error === undefined ? [] : [error]
  })
  const { step, error } = admission(handshake.ended, expected)
  if (expected.ours) steps.push(ownStep(expected, error !== undefined))
  steps.push(step)
  if (error !== undefined) errors.push(error)
  const [first = well(address, theirs, expected, step.status === 'pass'), ...others] = errors.map(
    (one) => explained(one, theirs, address, expected),
  )
  return {
    ref,
    stage: step.status === 'pass' ? 'let in' : 'handshake',
    steps,
    findings: [first, ...others],
  }
}

interface Judged {
  step: Question
  /** As the table of mismatches knows it. */
  error?: string
}

const NO_CERTIFICATE: Question = {
  question: 'Certificate?',
  status: 'fail',
  answer: 'it presented none',
}

function judgeCertificate(
  chain: X509Certificate[],
  theirs: Certificate,
  expected: Expected,
): Judged[] {
  const { authorities, names, now } = expected
  const judge = (question: string, isGood: boolean, answer: string, error: string): Judged => ({
    step: { question, status: isGood ? 'pass' : 'fail', answer },
    ...(!isGood && { error }),
  })
  return [
    judge(
      'Signed by --ca?',
      isTrusted(chain, authorities),
      `signed by ${theirs.issuer}`,
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ),
    judge(
      'Name expected?',
      names.includes(theirs.commonName),
      theirs.commonName || 'it has none',
      'WRONG_NAME',
    ),
    judge(
      'Valid now?',
      theirs.notBefore <= now && now <= theirs.notAfter,
      `${moment(theirs.notBefore)} to ${moment(theirs.notAfter)}`,
      now > theirs.notAfter ? 'CERT_HAS_EXPIRED' : 'CERT_NOT_YET_VALID',
    ),
    judge(
      "A server's?",
      theirs.usages.length === 0 || theirs.usages.includes('server'),
      theirs.usages.length === 0 ? 'of any usage' : `${listing(theirs.usages)} certificate`,
      'INVALID_PURPOSE',
    ),
  ]
}

/** The target's bundle is taken to be ours, as KubeVirt has one for all; where it lets us in, it is another. */
function ownStep({ ours = [], authorities }: Expected, refused: boolean): Question {
  const isGood = isTrusted(ours, authorities)
  return {
    question: 'Ours signed by --ca?',
    status: isGood ? 'pass' : refused ? 'fail' : 'info',
    answer: `${isGood ? '' : 'no: '}signed by ${ours[0] ? describeX509(ours[0]).issuer : 'nobody'}`,
  }
}

/** Whether it lets us in. A proxy never does without a certificate: that says nothing then. */
function admission(ended: string | undefined, { ours }: Expected): Judged {
  const question = 'Are we let in?'
  if (ended === undefined) {
    const answer = ours ? 'yes' : 'yes, without a certificate'
    return { step: { question, status: 'pass', answer } }
  }
  if (!ours) {
    const answer = `not judged without --cert; it ended with ${ended}`
    return { step: { question, status: 'unknown', answer } }
  }
  return { step: { question, status: 'fail', answer: `no: ${ended}` }, error: ended }
}

function errorOf({ error }: { error: string }): string {
  return error === 'it hung up' ? 'EOF' : error
}

function explained(
  error: string,
  theirs: Certificate | undefined,
  address: string,
  expected: Expected,
): Finding {
  const { authorities, names, now } = expected
  const ours = expected.ours?.map(describeX509)[0]
  const oursIsTrusted = isTrusted(expected.ours ?? [], authorities)
  const { code, what, todo, fault } = explainTlsFailure(
    {
      role: 'source',
      isTrial: true,
      error,
      ours,
      oursIsTrusted,
      theirs,
      authorities: authorities.map(describeX509),
      expectedNames: names,
    },
    now,
  )
  const isStranger = code === 'tls-refused' && ours !== undefined && !oursIsTrusted
  const known = isStranger ? 'MIG6002' : (CODES[code] ?? 'MIG6012')
  return finding({
    code: known,
    title: sentence(what),
    evidence: [
      ...(theirs ? [{ source: address, value: certificateLine(theirs) }] : []),
      ...(ours ? [{ source: 'ours', value: certificateLine(ours) }] : []),
      { source: 'handshake', value: error },
    ],
    cause: CATALOGUE[known].means.replace(/\.$/, ''),
    confidence: code === 'tls-refused' ? sureness(error, fault) : 'certain',
    remedy: [
      ...(isStranger
        ? [{ text: 'Give the certificate that an authority of --ca has signed, or the right --ca' }]
        : []),
      { text: sentence(todo) },
      ...(error === 'REFUSED'
        ? [
            {
              text: "See whether anybody listens at the launcher's socket on the target's node",
              command: LOOK_BEHIND,
            },
          ]
        : []),
    ],
    endsByItself: 'no',
  })
}

/** In virt-handler of the target, whose proxy takes the connection through to it. */
const LOOK_BEHIND =
  'kubectl mig probe socket /proc/LAUNCHER_PID/root/var/run/libvirt/virtqemud-sock'

/** An alert says that it was our certificate; who only hangs up may have other reasons. */
function sureness(error: string, fault: string | undefined): Finding['confidence'] {
  if (fault !== undefined) return 'likely'
  return error === 'REFUSED' ? 'possible' : 'certain'
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The table of mismatches (src/tls/mismatch.ts) in the codes of the catalogue. */
const CODES: Record<string, Code> = {
  'tls-peer-plain': 'MIG6001',
  'tls-timeout': 'MIG5011',
  'tls-hung-up': 'MIG5011',
  'tls-no-certificate': 'MIG6007',
  'tls-peer-not-ready': 'MIG6007',
  'tls-wrong-name': 'MIG6004',
  'tls-not-valid-now': 'MIG6003',
  'tls-we-are-expired': 'MIG6003',
  'tls-wrong-usage': 'MIG6010',
  'tls-unknown-authority': 'MIG6002',
  'tls-we-are-unknown': 'MIG6002',
  'tls-version': 'MIG6005',
  'tls-cipher': 'MIG6006',
  'tls-we-have-none': 'MIG6009',
  'tls-refused': 'MIG6008',
}

function well(
  address: string,
  theirs: Certificate | undefined,
  { ours }: Expected,
  letIn: boolean,
): Finding {
  return finding({
    code: 'MIG0010',
    status: 'pass',
    title: ours
      ? `${address} speaks TLS and lets us in`
      : `${address} speaks TLS, and nothing is wrong with its certificate`,
    evidence: theirs ? [{ source: address, value: certificateLine(theirs) }] : [],
    ...(!ours && {
      cause: letIn
        ? 'It let us in without a certificate, as no migration proxy of KubeVirt does'
        : 'Whether it lets a source in is known only with --cert and --key',
    }),
  })
}
