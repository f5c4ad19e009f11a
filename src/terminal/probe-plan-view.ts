import type { PlannedMigration, ProbePlanReport } from '../diagnose/probe-plan-report.ts'
import { neutral } from './neutral.ts'
import { table } from './table.ts'
import type { Terminal } from './terminal.ts'

/** What `--dry-run` says: the commands with the pods that they would be run in, the connections with what they leave. */
export function probePlanLines(
  { probe, migrations }: ProbePlanReport,
  out: Pick<Terminal, 'theme' | 'columns' | 'interactive'>,
): string[] {
  if (migrations.length === 0)
    return ['No migration has proxies now: nothing would be run on any node']
  return migrations.flatMap((migration, i) => [
    ...(i > 0 ? [''] : []),
    out.theme.strong(neutral(migration.ref)),
    ...(probe === 'none'
      ? ['With --probe=none nothing would be run on any node']
      : commandLines(migration, out)),
    ...connectionLines(migration, probe === 'connect'),
  ])
}

function commandLines(
  { commands }: PlannedMigration,
  out: Pick<Terminal, 'theme' | 'columns' | 'interactive'>,
): string[] {
  const rows = commands.map(({ pod, container, command, reads, times, apartSeconds }) => [
    `${pod.split('/').at(-1)} (${container})`,
    command.join(' '),
    times > 1 ? `${reads}; ${times} times, ${apartSeconds}s apart` : reads,
  ])
  return [
    'By exec would be run, read-only, each ended after five seconds:',
    ...table(['POD', 'COMMAND', 'READS'], rows, out, { whole: true }).map((line) => `  ${line}`),
  ]
}

function connectionLines(
  { connections, noConnection }: PlannedMigration,
  asked: boolean,
): string[] {
  const head = asked ? 'Then' : 'With --probe=connect also'
  if (noConnection !== undefined)
    return [neutral(`${head} nothing would be connected to now: ${noConnection}`)]
  return [
    `${head}, once each, never to the ports of labels 49152 and 49153:`,
    ...connections.map(({ kind, from, to, leaves }) =>
      neutral(
        `  ${kind === 'tcp' ? 'a TCP connection' : 'a TLS handshake without a certificate'} from ${from} to ${to} (label 0); it leaves ${leaves}`,
      ),
    ),
  ]
}
