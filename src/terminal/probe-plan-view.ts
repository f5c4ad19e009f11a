import type {
  PlannedCommand,
  PlannedMigration,
  ProbePlanReport,
} from '../diagnose/probe-plan-report.ts'
import { neutral } from './neutral.ts'
import type { Terminal } from './terminal.ts'
import { wrap } from './wrap.ts'

type Out = Pick<Terminal, 'theme' | 'columns' | 'interactive'>

/** What `--dry-run` says: the commands with the pods that they would be run in, the connections with what they leave. */
export function probePlanLines({ probe, migrations }: ProbePlanReport, out: Out): string[] {
  if (migrations.length === 0)
    return ['No migration has proxies now: nothing would be run on any node']
  return migrations.flatMap((migration, i) => [
    ...(i > 0 ? [''] : []),
    out.theme.strong(neutral(migration.ref)),
    ...(probe === 'none'
      ? ['With --probe=none nothing would be run on any node']
      : commandLines(migration, out)),
    ...connectionLines(migration, probe === 'connect', out),
  ])
}

function commandLines({ commands }: PlannedMigration, out: Out): string[] {
  const byPod = Map.groupBy(commands, ({ pod }) => pod)
  return [
    'By exec would be run, read-only, each ended after five seconds:',
    ...[...byPod].flatMap(([pod, some]) => [
      ...text(
        `in ${pod}, container ${some[0]?.container} (${some[0]?.node}, the ${some[0]?.role}):`,
        '  ',
        out,
      ),
      ...some.map((one) => `    ${commandText(one, out)}`),
    ]),
  ]
}

/** A command is one line, to be copied. */
function commandText({ command, times, apartSeconds }: PlannedCommand, { theme }: Out): string {
  const often = times > 1 ? theme.quiet(`   ${times} times, ${apartSeconds}s apart`) : ''
  return `${neutral(command.join(' '))}${often}`
}

function connectionLines(
  { connections, noConnection }: PlannedMigration,
  asked: boolean,
  out: Out,
): string[] {
  const head = asked ? 'Then' : 'With --probe=connect also'
  if (noConnection !== undefined)
    return text(`${head} nothing would be connected to now: ${noConnection}`, '', out)
  return [
    ...text(`${head}, once each, never to the ports of labels 49152 and 49153:`, '', out),
    ...connections.flatMap(({ kind, from, to, leaves }) =>
      text(
        `${kind === 'tcp' ? 'a TCP connection' : 'a TLS handshake without a certificate'} from ${from} to ${to} (label 0); it leaves ${leaves}`,
        '  ',
        out,
      ),
    ),
  ]
}

function text(line: string, indent: string, { interactive, columns }: Out): string[] {
  const safe = neutral(line)
  const lines = interactive ? wrap(safe, Math.min(columns(), 120) - indent.length) : [safe]
  return lines.map((one) => indent + one)
}
