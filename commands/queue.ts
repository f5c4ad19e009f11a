import { Command } from '@oclif/core'
import { allNamespacesFlag, clusterFlags, colorFlag, outputFlag } from '../src/flags.ts'

export default class Queue extends Command {
  static override summary = 'Show what moves, what waits for a slot, and which limit holds it'
  static override description =
    'Each limit with how much of it is used and by whom, then all that run and wait. Limits count the migrations of all namespaces. KubeVirt promises no order among equals: ABOVE is how many go first whenever both find a free slot, COMPETE how many may.'
  static override examples = [
    {
      description: 'Why does nothing move? All namespaces',
      command: '<%= config.bin %> <%= command.id %> -A',
    },
    {
      description: 'How many slots of the cluster are in use',
      command: "<%= config.bin %> <%= command.id %> -o json | jq '.limits[0].used'",
    },
  ]
  static override flags = {
    ...clusterFlags,
    'all-namespaces': allNamespacesFlag,
    output: outputFlag(),
    color: colorFlag,
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Queue)
    const { withCluster } = await import('../src/session.ts')
    const { readQueue } = await import('../src/migrate/queue.ts')
    const { nothingQueuedText, queueLines } = await import('../src/terminal/queue-view.ts')
    const { print } = await import('../src/terminal/output.ts')
    const { terminalOf } = await import('../src/terminal/terminal.ts')

    const queue = await withCluster(flags, {}, ({ cluster, ...look }) =>
      readQueue(
        cluster,
        { namespace: flags['all-namespaces'] ? undefined : cluster.namespace },
        look,
      ),
    )
    if (!flags.output && queue.running.length + queue.waiting.length === 0)
      process.stderr.write(`${nothingQueuedText(queue.namespace)}\n`)
    const out = terminalOf(process.stdout, { color: flags.color })
    await print(out, queue, flags.output, () => queueLines(queue, out))
  }
}
