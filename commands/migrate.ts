import { Args, Command, Flags } from '@oclif/core'
import {
  clusterFlags,
  colorFlag,
  dryRunFlag,
  outputFlag,
  parseDuration,
  timeoutFlag,
} from '../src/flags.ts'

export default class Migrate extends Command {
  static override summary = 'Move VMs to other nodes and follow them to the end'
  static override description =
    'Says first what will happen: is it admitted, which policy holds, is a slot free. Then it creates the migration and follows it. Ctrl-C leaves the migration running.'
  static override examples = [
    {
      description: 'Move a VM and wait for it, at most five minutes',
      command: '<%= config.bin %> <%= command.id %> vm-1 --timeout 5m',
    },
    {
      description: 'Have the server check what would be created for two VMs',
      command: '<%= config.bin %> <%= command.id %> vm-1 vm-2 -n demo --dry-run=server',
    },
  ]
  static override args = {
    name: Args.string({
      required: true,
      multiple: true,
      description: 'NAME, vm/NAME or vmi/NAME; several are moved at once',
    }),
  }
  static override flags = {
    ...clusterFlags,
    wait: Flags.boolean({
      default: true,
      allowNo: true,
      description: 'follow the migrations to their end',
    }),
    timeout: timeoutFlag,
    'dry-run': dryRunFlag(),
    output: outputFlag(),
    color: colorFlag,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Migrate)
    const { parseReference } = await import('../src/kubevirt/reference.ts')
    const references = args.name.map((text) => parseReference(text, ['vm', 'vmi']))
    const timeoutMs = flags.timeout ? parseDuration(flags.timeout, '--timeout') : undefined

    const { withCluster } = await import('../src/session.ts')
    const { moveAll } = await import('../src/migrate/move.ts')
    const { overallError } = await import('../src/migrate/result.ts')
    const { terminalOf } = await import('../src/terminal/terminal.ts')
    const { createMoveView } = await import('../src/terminal/move-view.ts')
    const { errorLines, movesText } = await import('../src/terminal/results.ts')

    const view = await createMoveView(
      terminalOf(process.stderr, { color: flags.color }),
      references.map(({ name }) => name),
      Date.now,
    )
    const moves = await withCluster(flags, { timeoutMs }, ({ cluster, signal, clock }) =>
      moveAll(cluster, references, {
        namespace: cluster.namespace,
        clock,
        signal,
        wait: flags.wait,
        dryRun: flags['dry-run'],
        onStep: view.show,
      }),
    ).finally(view.close)

    const out = terminalOf(process.stdout, { color: flags.color })
    out.write(await movesText(moves, flags.output, out))
    process.stderr.write(errorLines(moves))
    const error = overallError(moves, 'VMs were not moved')
    if (error) throw error
  }
}
