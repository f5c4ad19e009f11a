import {
  ADDRESSES,
  CONNECTIONS,
  connectionsIn,
  LISTENERS,
  type TcpState,
  UNIX_LISTENERS,
} from '../../probe/commands.ts'
import type { Outcome } from './container-commands.ts'

/** The states that are asked about, as `ss` calls them in its filter and in its table. */
export const STATES: readonly [TcpState, string][] = [
  ['established', 'ESTAB'],
  ['syn-sent', 'SYN-SENT'],
  ['syn-recv', 'SYN-RECV'],
  ['close-wait', 'CLOSE-WAIT'],
  ['fin-wait-2', 'FIN-WAIT-2'],
]

const SOCKET_TABLES = [
  LISTENERS,
  CONNECTIONS,
  UNIX_LISTENERS,
  ...STATES.map(([state]) => connectionsIn(state)),
].map(({ argv }) => argv)

/**
 * A command as src/probe would run it: by hand `ss` is typed with its letters in any order, and without the `H` that leaves
 * its heading out.
 */
export function asProbed(argv: readonly string[]): { argv: readonly string[]; headed: boolean } {
  const asked = flagsOf(argv)
  const found = asked && SOCKET_TABLES.find((table) => flagsOf(table)?.form === asked.form)
  return found ? { argv: found, headed: !asked.letters.includes('H') } : { argv, headed: false }
}

/** The letters of `ss`, and what it is asked for whatever their order; undefined for another program. */
function flagsOf([program, ...words]: readonly string[]) {
  if (program !== 'ss') return undefined
  const letters = words
    .filter((word) => /^-[a-zA-Z]+$/.test(word))
    .join('')
    .replaceAll('-', '')
  const others = words.filter((word) => !/^-[a-zA-Z]+$/.test(word))
  const asked = [...new Set(letters)].filter((letter) => letter !== 'H').sort()
  return { letters, form: [...asked, ...others].join(' ') }
}

/** What each program is asked; the rest of what it can do is nobody's business here. */
const ANSWERED: Record<string, string[]> = {
  ss: [...new Set(SOCKET_TABLES.map((argv) => argv.slice(0, 3).join(' ')))].map((form) =>
    form.endsWith(' state') ? `${form} STATE` : form,
  ),
  ip: [ADDRESSES.argv.join(' '), 'ip route get ADDRESS'],
  cat: ['cat /etc/virt-handler/FOLDER/tls.crt'],
  ls: ['ls -l /var/run/kubevirt/migrationproxy/'],
  timeout: ['timeout SECONDS bash -c … (as "kubectl mig diagnose proxy --probe connect" runs it)'],
}

/**
 * The refusal of a command that a lab's containers don't answer: a program that they have says what it is asked, any other
 * is not there, in the words of a container runtime. @param programs that the container has
 */
export function refused([program = '']: readonly string[], programs: readonly string[]): Outcome {
  const forms = programs.includes(program) ? ANSWERED[program] : undefined
  if (!forms)
    return {
      stdout: '',
      stderr: `OCI runtime exec failed: exec failed: unable to start container process: exec: ${JSON.stringify(program)}: executable file not found in $PATH: unknown\n`,
      code: 127,
    }
  const stderr = `${program}: this is a lab, where it is answered only as: ${forms.join(', ')}\n`
  return { stdout: '', stderr, code: 2 }
}
