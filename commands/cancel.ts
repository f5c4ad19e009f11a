import { Args, Command, Flags } from '@oclif/core'
import {
  clusterFlags,
  colorFlag,
  dryRunFlag,
  outputFlag,
  parseDuration,
  timeoutFlag,
} from '../src/flags.ts'

export default class Cancel extends Command {
  static override summary = 'Cancel migrations and wait until they have ended'
  static override description =
    'Cancelling deletes the migration. Before hand-off it ends at once; between hand-off and the copy KubeVirt takes notice only when the copy starts; a running copy is stopped by the source node.'
  static override examples = [
    {
      description: 'Cancel the migration that a VM is in',
      command: '<%= config.bin %> <%= command.id %> vm-1',
    },
    {
      description: 'Let a VM stay on a node that is no longer to be drained',
      command: '<%= config.bin %> <%= command.id %> vm-1 --undo-eviction',
    },
    {
      description: 'Cancel a migration by its own name and do not wait',
      command: '<%= config.bin %> <%= command.id %> vmim/kubectl-mig-x7k2p -n demo --no-wait',
    },
  ]
  static override args = {
    name: Args.string({
      ignoreStdin: true,
      required: true,
      multiple: true,
      description: 'NAME, vm/NAME, vmi/NAME or vmim/NAME; several are cancelled at once',
    }),
  }
  static override flags = {
    ...clusterFlags,
    'undo-eviction': Flags.boolean({
      description:
        'first take the mark of an eviction off, so that KubeVirt makes no new migration (since 1.7)',
    }),
    wait: Flags.boolean({ default: true, allowNo: true, description: 'wait for the end' }),
    timeout: timeoutFlag,
    'dry-run': dryRunFlag(),
    output: outputFlag(),
    color: colorFlag,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Cancel)
    const { parseReference } = await import('../src/kubevirt/reference.ts')
    const references = args.name.map((text) => parseReference(text, ['vm', 'vmi', 'vmim']))
    const timeoutMs = flags.timeout ? parseDuration(flags.timeout, '--timeout') : undefined
    const { withCluster } = await import('../src/session.ts')
    const { cancelAll } = await import('../src/migrate/cancel.ts')
    const { documented, overallError } = await import('../src/migrate/result.ts')
    const { createMoveView } = await import('../src/terminal/move-view.ts')
    const { cancelText, errorLines } = await import('../src/terminal/results.ts')
    const { terminalOf } = await import('../src/terminal/terminal.ts')

    const view = await createMoveView(
      terminalOf(process.stderr, { color: flags.color }),
      references.map(({ name }) => name),
      Date.now,
    )
    const results = await withCluster(flags, { timeoutMs }, ({ cluster, signal, clock }) =>
      cancelAll(cluster, references, {
        namespace: cluster.namespace,
        clock,
        signal,
        wait: flags.wait,
        dryRun: flags['dry-run'],
        undoEviction: flags['undo-eviction'],
        onStep: view.show,
      }),
    ).finally(view.close)
    const out = terminalOf(process.stdout, { color: flags.color })
    out.write(await cancelText(results, { format: flags.output, dryRun: flags['dry-run'] }))
    process.stderr.write(errorLines(results))
    const error = overallError(results, 'migrations were not cancelled')
    if (error) throw documented(error)
  }
}
