import { Args, Command, Flags } from '@oclif/core'
import { EXIT, MigError } from '../src/errors.ts'
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
    'Says first what will happen: is it admitted, which policy holds, is a slot free. Then it creates the migration and follows it. When it fails, or stands still for a minute, it is diagnosed, and the verdict told. Ctrl-C leaves the migration running. With -l, VMs that are in flight already are followed; with --resume besides, those that an interrupted run of the same selector has moved are left where they are.'
  static override examples = [
    {
      description: 'Move a VM and wait for it, at most five minutes',
      command: '<%= config.bin %> <%= command.id %> vm-1 --timeout 5m',
    },
    {
      description: 'Move all VMs of a label, three at a time; after an interruption go on with it',
      command: '<%= config.bin %> <%= command.id %> -l tier=web --max-parallel 3 --resume',
    },
    {
      description: 'Move a VM to a node of your choice (since KubeVirt 1.6)',
      command: '<%= config.bin %> <%= command.id %> vm-1 --to-node node-3',
    },
    {
      description: 'Have the server check what would be created for two VMs',
      command: '<%= config.bin %> <%= command.id %> vm-1 vm-2 -n demo --dry-run=server',
    },
  ]
  static override args = {
    name: Args.string({
      ignoreStdin: true,
      multiple: true,
      description: 'NAME, vm/NAME or vmi/NAME; several are moved at once',
    }),
  }
  static override flags = {
    ...clusterFlags,
    selector: Flags.string({
      char: 'l',
      helpValue: 'SELECTOR',
      description: 'move the running VMs with these labels, on the VM or its VMI',
    }),
    'max-parallel': Flags.string({
      helpValue: 'N',
      description: "how many at once; without it KubeVirt's own limits say that",
    }),
    resume: Flags.boolean({
      dependsOn: ['selector'],
      description: 'go on with the latest run of the same selector: what it has moved stays',
    }),
    'to-node': Flags.string({
      helpValue: 'NODE',
      description: 'the node to move to, found by its hostname label (since KubeVirt 1.6)',
    }),
    'node-selector': Flags.string({
      helpValue: 'KEY=VALUE',
      multiple: true,
      multipleNonGreedy: true,
      description: 'a label that the target node must have; may be repeated (since KubeVirt 1.6)',
    }),
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
    const { selector, resume, 'to-node': toNode } = flags
    const { parseReference } = await import('../src/kubevirt/reference.ts')
    const { parseNodeSelector, resolveTarget } = await import('../src/migrate/target.ts')
    const named = (args.name ?? []).map((text) => parseReference(text, ['vm', 'vmi']))
    demandOne(named.length > 0, selector)
    const maxParallel = parallelOf(flags['max-parallel'], flags.wait)
    const wish = {
      nodeSelector: parseNodeSelector(flags['node-selector'] ?? []),
      toNode: toNode === undefined ? undefined : parseReference(toNode, ['node']).name,
    }
    const timeoutMs = flags.timeout ? parseDuration(flags.timeout, '--timeout') : undefined

    const { withCluster } = await import('../src/session.ts')
    const { moveAll } = await import('../src/migrate/move-all.ts')
    const { documented, overallError } = await import('../src/migrate/result.ts')
    const { selectVms } = await import('../src/migrate/select.ts')
    const { terminalOf } = await import('../src/terminal/terminal.ts')
    const { createMoveView } = await import('../src/terminal/move-view.ts')
    const { errorLines, movesText } = await import('../src/terminal/results.ts')

    const moves = await withCluster(flags, { timeoutMs }, async ({ cluster, signal, clock }) => {
      const { namespace } = cluster
      const target = await resolveTarget(cluster, wish, signal)
      const references =
        selector === undefined ? named : await selectVms(cluster, selector, { namespace, signal })
      const view = await createMoveView(
        terminalOf(process.stderr, { color: flags.color }),
        references.map(({ name }) => name),
        clock.now,
      )
      return moveAll(cluster, references, {
        namespace,
        clock,
        signal,
        target,
        maxParallel,
        selection: selector === undefined ? undefined : { selector, resume },
        wait: flags.wait,
        dryRun: flags['dry-run'],
        onStep: view.show,
      }).finally(view.close)
    })

    const out = terminalOf(process.stdout, { color: flags.color })
    out.write(await movesText(moves, flags.output, out))
    process.stderr.write(errorLines(moves))
    const error = overallError(moves, 'VMs were not moved')
    if (!error) return
    const isRun = selector !== undefined && moves.length > 1
    throw documented(isRun && error.hint === undefined ? resumable(error) : error)
  }
}

function demandOne(named: boolean, selector: string | undefined): void {
  // To Kubernetes an empty one means all; here it is a variable that nobody has set.
  if (selector?.trim() === '')
    throw new MigError(EXIT.usage, '-l: the selector is empty, and would move every VM', {
      hint: 'expected KEY=VALUE, such as tier=web',
    })
  if (named !== (selector !== undefined)) return
  const hint = 'expected NAME… or -l SELECTOR'
  throw named
    ? new MigError(EXIT.usage, 'a name excludes --selector', { hint })
    : new MigError(EXIT.usage, 'no VM is named', { hint })
}

function parallelOf(text: string | undefined, wait: boolean): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d*$/.test(text))
    throw new MigError(EXIT.usage, `--max-parallel: "${text}" is no number of VMs`, {
      hint: 'expected a whole number from 1',
    })
  if (!wait)
    throw new MigError(EXIT.usage, '--max-parallel excludes --no-wait', {
      hint: 'the next one begins when one has ended, which must be waited for',
    })
  return Number(text)
}

function resumable({ exit, message }: MigError): MigError {
  const hint = 'the same command with --resume goes on with the rest and follows those in flight'
  return new MigError(exit, message, { hint })
}
