import { Args, Command, Flags } from '@oclif/core'
import { EXIT, MigError } from '../../src/errors.ts'
import {
  clusterFlags,
  colorFlag,
  failOnFlag,
  logsFlag,
  minCoverageFlag,
  reportFormatFlag,
} from '../../src/flags.ts'

export default class DiagnoseProxy extends Command {
  static override summary =
    'Look at the proxies of a migration: listeners, sockets, connections, TLS'
  static override description =
    'First, for each channel: is the port map right, the listener of the target open, the socket of the source live, and do data flow. Then the diagnosis, with what was seen. Without a name: all migrations of the namespace that are in flight. --probe says how far it may go. none: only the API. exec: read-only commands in both virt-handlers (ss, ip, cat of public certificates), each ended after five seconds. connect: also one TCP connection from the source to the port of label 0 and one TLS handshake with it, never to the other ports; each leaves a connection to virtqemud until the launcher of the target ends. What may be done is asked of the API first, and what is done is announced on stderr.'
  static override examples = [
    {
      description: 'Why the copy of a VM does not move',
      command: '<%= config.bin %> <%= command.id %> vm-1 -n demo',
    },
    {
      description: 'What would be run on nodes, and what a connection would leave behind',
      command: '<%= config.bin %> <%= command.id %> vm-1 --probe connect --dry-run',
    },
    {
      description: 'Whether the network carries, and who listens',
      command: '<%= config.bin %> <%= command.id %> vmim/move --probe connect',
    },
  ]
  static override args = {
    name: Args.string({
      description: 'NAME, vm/NAME, vmi/NAME or vmim/NAME',
      ignoreStdin: true,
    }),
  }
  static override flags = {
    ...clusterFlags,
    probe: Flags.option({
      options: ['none', 'exec', 'connect'] as const,
      default: 'exec',
      description: 'how far to go: the API alone, read-only commands on nodes, one connection',
    })(),
    'dry-run': Flags.boolean({
      description: 'only say what would be run on nodes and what it would leave behind',
    }),
    logs: logsFlag,
    'fail-on': failOnFlag,
    'min-coverage': minCoverageFlag,
    output: reportFormatFlag,
    color: colorFlag,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DiagnoseProxy)
    if (flags.logs && args.name === undefined)
      throw new MigError(EXIT.usage, '--logs needs the name of a VM or migration')
    if (flags['dry-run'] && flags.output === 'junit')
      throw new MigError(EXIT.usage, '-o junit is for findings, and --dry-run makes none')
    const { parseReference } = await import('../../src/kubevirt/reference.ts')
    const reference =
      args.name === undefined ? undefined : parseReference(args.name, ['vm', 'vmi', 'vmim'])
    const { withCluster } = await import('../../src/session.ts')
    const { diagnoseProxy, planProxy } = await import('../../src/diagnose/proxy.ts')
    const { neutral } = await import('../../src/terminal/neutral.ts')
    const { wrap } = await import('../../src/terminal/wrap.ts')
    const { isTTY, columns } = process.stderr
    const announcement = (line: string) => (isTTY ? wrap(line, columns - 2).join('\n  ') : line)

    if (flags['dry-run']) {
      const { terminalOf } = await import('../../src/terminal/terminal.ts')
      const { print } = await import('../../src/terminal/output.ts')
      const { probePlanReport } = await import('../../src/diagnose/probe-plan-report.ts')
      const { probePlanLines } = await import('../../src/terminal/probe-plan-view.ts')
      const plans = await withCluster(flags, {}, ({ cluster, signal, clock }) =>
        planProxy(cluster, reference, { clock, signal }),
      )
      const out = terminalOf(process.stdout, { color: flags.color })
      const report = probePlanReport(plans, flags.probe, Date.now())
      const format = flags.output === 'junit' ? undefined : flags.output
      await print(out, report, format, () => probePlanLines(report, out))
      return
    }
    const report = await withCluster(flags, {}, ({ cluster, signal, clock }) =>
      diagnoseProxy(cluster, reference, {
        rung: flags.probe,
        logs: flags.logs,
        clock,
        signal,
        announce: (line) => void process.stderr.write(`${announcement(neutral(line))}\n`),
      }),
    )
    const { answerReport } = await import('../../src/terminal/report-answer.ts')
    await answerReport(report, flags)
  }
}
