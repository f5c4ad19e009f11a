import { Args, Command, Flags } from '@oclif/core'
import { EXIT, MigError } from '../src/errors.ts'
import { allNamespacesFlag, clusterFlags, colorFlag } from '../src/flags.ts'

export default class Status extends Command {
  static override summary = 'Show migrations and where each is now'
  static override description =
    'Without a name: what is in flight and what ended within the last hour. With one: its phases with their durations, where it is now, and which settings hold. With -w it goes on showing that: of one VM to the end of its migration, which it waits for where there is none.'
  static override examples = [
    {
      description: 'Watch all migrations of the cluster',
      command: '<%= config.bin %> <%= command.id %> -A -w',
    },
    {
      description: 'Where is the migration of this VM, and for how long?',
      command: '<%= config.bin %> <%= command.id %> vm-1 -n demo',
    },
  ]
  static override args = {
    name: Args.string({ ignoreStdin: true, description: 'NAME, vm/NAME, vmi/NAME or vmim/NAME' }),
  }
  static override flags = {
    ...clusterFlags,
    'all-namespaces': allNamespacesFlag,
    selector: Flags.string({
      char: 'l',
      helpValue: 'SELECTOR',
      description: 'only migrations with these labels',
    }),
    all: Flags.boolean({ description: 'also migrations that ended more than an hour ago' }),
    watch: Flags.boolean({ char: 'w', description: 'go on showing changes' }),
    output: Flags.option({
      char: 'o',
      options: ['json', 'yaml', 'wide'] as const,
      description: 'one machine-readable document (with -w, one for each change), or more columns',
    })(),
    color: colorFlag,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Status)
    const { parseReference } = await import('../src/kubevirt/reference.ts')
    const reference =
      args.name !== undefined ? parseReference(args.name, ['vm', 'vmi', 'vmim']) : undefined
    if (reference && (flags['all-namespaces'] || flags.selector))
      throw new MigError(EXIT.usage, 'a name excludes --all-namespaces and --selector', {
        hint: 'a name belongs to a namespace: give that with -n',
      })
    const { withCluster } = await import('../src/session.ts')
    const { readStatus, statusDocument, watchStatus } = await import('../src/migrate/status.ts')
    const { nothingText, statusText } = await import('../src/terminal/status-text.ts')
    const { showChanges } = await import('../src/terminal/status-view.ts')
    const { print } = await import('../src/terminal/output.ts')
    const { terminalOf } = await import('../src/terminal/terminal.ts')

    const out = terminalOf(process.stdout, { color: flags.color })
    const format = flags.output === 'wide' ? undefined : flags.output
    const table = { namespaces: flags['all-namespaces'], wide: flags.output === 'wide' }
    await withCluster(flags, { quiet: flags.watch }, async ({ cluster, ...look }) => {
      const options = {
        reference,
        namespace: flags['all-namespaces'] ? undefined : cluster.namespace,
        labelSelector: flags.selector,
        all: flags.all,
      }
      if (flags.watch) {
        const view = { ...table, format, warn, now: look.clock.now }
        await showChanges(watchStatus(cluster, options, look), out, view)
        return
      }
      const status = await readStatus(cluster, options, look)
      const now = look.clock.now()
      if (!format && !reference && status.migrations.length === 0)
        process.stderr.write(`${nothingText(options)}\n`)
      await print(out, statusDocument(status, now), format, () =>
        statusText(status, out, now, table),
      )
    })
  }
}

function warn(line: string): void {
  process.stderr.write(`${line}\n`)
}
