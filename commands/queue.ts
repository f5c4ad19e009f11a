import { Command, Flags } from '@oclif/core'
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
      description: 'See one after the other get its slot',
      command: '<%= config.bin %> <%= command.id %> -A -w',
    },
    {
      description: 'How many slots of the cluster are in use',
      command: "<%= config.bin %> <%= command.id %> -o json | jq '.limits[0].used'",
    },
  ]
  static override flags = {
    ...clusterFlags,
    'all-namespaces': allNamespacesFlag,
    watch: Flags.boolean({ char: 'w', description: 'go on showing changes' }),
    output: outputFlag({
      description: 'one machine-readable document (with -w, one for each change)',
    }),
    color: colorFlag,
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Queue)
    const { withCluster } = await import('../src/session.ts')
    const { readQueue } = await import('../src/migrate/queue.ts')
    const { watchQueue } = await import('../src/migrate/watch-queue.ts')
    const { nothingQueuedText, queueLines } = await import('../src/terminal/queue-view.ts')
    const { showQueueChanges } = await import('../src/terminal/queue-watch-view.ts')
    const { print } = await import('../src/terminal/output.ts')
    const { terminalOf } = await import('../src/terminal/terminal.ts')

    const out = terminalOf(process.stdout, { color: flags.color })
    await withCluster(flags, { quiet: flags.watch }, async ({ cluster, ...look }) => {
      const namespace = flags['all-namespaces'] ? undefined : cluster.namespace
      if (flags.watch) {
        const view = { format: flags.output, warn, now: look.clock.now }
        await showQueueChanges(watchQueue(cluster, { namespace }, look), out, view)
        return
      }
      const queue = await readQueue(cluster, { namespace }, look)
      if (!flags.output && queue.running.length + queue.waiting.length === 0)
        process.stderr.write(`${nothingQueuedText(queue.namespace)}\n`)
      await print(out, queue, flags.output, () => queueLines(queue, out))
    })
  }
}

function warn(line: string): void {
  process.stderr.write(`${line}\n`)
}
