import { basename } from 'node:path'
import type { SocketSighting } from '../../probe/local-socket.ts'
import { LONGEST_SOCKET_PATH } from '../../unix-listeners.ts'
import { type Finding, finding } from '../finding.ts'
import type { Question } from '../questions.ts'
import { shell } from '../words.ts'
import type { Probed } from './report.ts'

/** QEMU and libvirt of a launcher run as 107:107 (fact sheet data-plane.md §1.4). */
const QEMU = 107

/** What a unix socket of the migration proxy, or one that it leads to, is good for. */
export function judgeSocket(seen: SocketSighting): Probed {
  const steps = [pathStep(seen), thereStep(seen)]
  const found = [tooLong(seen), notThere(seen)].filter((one) => one !== undefined)
  let stage: string = seen.kind
  if (seen.kind === 'socket') {
    steps.push(ownerStep(seen), listenStep(seen))
    found.push(...[closedToQemu(seen), dead(seen)].filter((one) => one !== undefined))
    stage = isLive(seen) ? 'live' : seen.connected === 'refused' ? 'stale' : 'there'
  }
  const [first = well(seen), ...others] = found
  return { ref: `socket:${seen.path}`, stage, steps, findings: [first, ...others] }
}

function pathStep({ length }: SocketSighting): Question {
  return {
    question: 'Path short enough?',
    status: length > LONGEST_SOCKET_PATH ? 'fail' : 'pass',
    answer: `${length} bytes, at most ${LONGEST_SOCKET_PATH} fit`,
  }
}

function thereStep({ kind, trouble, real }: SocketSighting): Question {
  const answers = {
    socket: real === undefined ? 'yes' : `yes, by a link to ${real}`,
    other: `no, ${real === undefined ? 'what is there' : `${real}, to which it links,`} is no socket`,
    absent: `no: ${trouble}`,
    unseen: `it can't be seen: ${trouble}`,
  }
  const statuses = { socket: 'pass', other: 'fail', absent: 'fail', unseen: 'unknown' } as const
  return { question: 'Socket there?', status: statuses[kind], answer: answers[kind] }
}

function ownerStep(seen: SocketSighting): Question {
  return {
    question: 'Who may connect?',
    status: isForQemu(seen) ? (qemuMay(seen) ? 'pass' : 'fail') : 'info',
    answer: owner(seen),
  }
}

function listenStep(seen: SocketSighting): Question {
  const question = 'Somebody listens?'
  if (seen.connected === 'accepted')
    return { question, status: 'pass', answer: 'yes, it took a connection' }
  if (seen.listed) return { question, status: 'pass', answer: 'yes, by /proc/net/unix' }
  if (seen.connected === 'refused')
    return { question, status: 'fail', answer: 'no, a connection was refused' }
  const answer =
    seen.connected === undefined
      ? 'not in this network namespace; one in another is not seen from here'
      : `not in this network namespace, and a connection was not possible (${seen.connected})`
  return { question, status: 'unknown', answer }
}

function tooLong({ path, length }: SocketSighting): Finding | undefined {
  if (length <= LONGEST_SOCKET_PATH) return undefined
  return finding({
    code: 'MIG5007',
    title: `The path is too long for a unix socket: ${length} bytes, at most ${LONGEST_SOCKET_PATH} fit`,
    evidence: [{ source: path, value: `${length} bytes` }],
    cause: 'No process can listen there or connect to it by this path',
    remedy: [{ text: 'Use a shorter base folder' }],
    endsByItself: 'no',
    weight: 20,
  })
}

function notThere(seen: SocketSighting): Finding | undefined {
  const { path, kind, trouble = '' } = seen
  if (kind === 'socket') return undefined
  if (kind === 'unseen')
    return finding({
      code: 'MIG0008',
      status: 'unknown',
      title: `${path} can't be looked at: ${trouble}`,
      remedy: [{ text: 'Run this as root, on the node or in the virt-handler container' }],
    })
  if (kind === 'other')
    return finding({
      code: 'MIG5007',
      title: `${path} is no socket`,
      cause: 'Something else has its name, so that no proxy can listen there',
      remedy: [{ text: 'See what it is and who made it, then move it away' }],
      endsByItself: 'no',
    })
  return finding({
    code: codeOf(seen),
    title: `There is no socket ${path}: ${trouble}`,
    cause: isForQemu(seen)
      ? 'The proxy of the source makes it when the target has published its ports, and libvirt of the target makes the one of its QEMU when a copy begins: before that it is not there'
      : 'libvirt makes it when it starts: the launcher is not up, or this is not its folder',
    remedy: [{ text: "See the launcher's folder", command: shell`ls -l ${folderOf(path)}` }],
  })
}

function closedToQemu(seen: SocketSighting): Finding | undefined {
  if (!isForQemu(seen) || qemuMay(seen)) return undefined
  return finding({
    code: 'MIG5007',
    title: `QEMU (${QEMU}:${QEMU}) may not connect to ${seen.path}`,
    evidence: [{ source: seen.path, value: owner(seen) }],
    cause: 'To connect to a unix socket is to write to it: libvirt ends with "Permission denied"',
    remedy: [
      {
        text: 'Give it to QEMU; `kubectl mig proxy source --socket-owner` does it at the start',
        command: shell`chown ${`${QEMU}:${QEMU}`} ${seen.path}`,
      },
    ],
    endsByItself: 'no',
  })
}

function dead(seen: SocketSighting): Finding | undefined {
  if (isLive(seen)) return undefined
  if (seen.connected === 'refused')
    return finding({
      code: codeOf(seen),
      title: `Nobody listens on ${seen.path}: it is stale`,
      evidence: [{ source: seen.path, value: 'connection refused' }],
      cause: 'The process that made it ended without taking it away',
      weight: 10,
      remedy: [
        {
          text: isForQemu(seen)
            ? 'Migrate again when this attempt has failed: its proxy is gone'
            : 'See why libvirt of the launcher has ended',
        },
      ],
      endsByItself: 'no',
    })
  return finding({
    code: 'MIG0008',
    status: 'unknown',
    title: `Whether anybody listens on ${seen.path} is not to be seen from here`,
    cause:
      'Only listeners of the own network namespace are listed; those of the source are made in that of virt-handler',
    remedy: [
      {
        text: 'Run this in the network namespace of the listener, e.g. in the virt-handler container',
      },
      ...(seen.connected === undefined && !isData(seen.path)
        ? [{ text: 'Or try a connection: --connect' }]
        : []),
    ],
  })
}

function well(seen: SocketSighting): Finding {
  return finding({
    code: 'MIG0010',
    status: 'pass',
    title: `A process listens on ${seen.path}${seen.real === undefined ? '' : `, a link to ${seen.real}`}`,
    evidence: [{ source: seen.path, value: owner(seen) }],
  })
}

/** Channels for memory and disks: a stray connection may be taken for a migration's (fact sheet data-plane.md §1.5). */
export function isData(path: string): boolean {
  return /-4915[23]-source\.sock$/.test(path)
}

/** What a source's proxy makes and what QEMU of a target makes have the same names; the rest is libvirt's. */
function isForQemu({ path }: SocketSighting): boolean {
  return path.endsWith('-source.sock')
}

function codeOf(seen: SocketSighting): 'MIG5009' | 'MIG5004' {
  return isForQemu(seen) ? 'MIG5009' : 'MIG5004'
}

function isLive({ listed, connected }: SocketSighting): boolean {
  return listed || connected === 'accepted'
}

function qemuMay({ mode, uid, gid }: SocketSighting): boolean {
  const bit = uid === QEMU ? 0o200 : gid === QEMU ? 0o020 : 0o002
  return (mode & bit) !== 0
}

function owner({ mode, uid, gid }: SocketSighting): string {
  return `${uid}:${gid}, mode ${mode.toString(8).padStart(4, '0')}`
}

function folderOf(path: string): string {
  return path.slice(0, path.length - basename(path).length) || '.'
}
