import { Args, Command, Flags } from '@oclif/core'
import { EXIT, MigError } from '../src/errors.ts'
import {
  allNamespacesFlag,
  type ClusterFlags,
  clusterFlags,
  colorFlag,
  failOnFlag,
  logsFlag,
  minCoverageFlag,
  reportFormatFlag,
} from '../src/flags.ts'

export default class Diagnose extends Command {
  static override summary = 'Say why a migration does not start, does not move or failed'
  static override description =
    'Names the one cause that explains the most, with its evidence and what to do next. With a name: about that VM or migration. Without one: about what is not well in the namespace, with -A in the cluster, with node/NAME on that node. With --from: about what kubectl, must-gather or a support bundle wrote (YAML, JSON, logs, folders, tar archives). It only reads, and Secrets never. Exit 3 when something failed.'
  static override examples = [
    {
      description: 'Why a VM does not move',
      command: '<%= config.bin %> <%= command.id %> vm-1 -n demo',
    },
    {
      description: 'What is not well in the whole cluster',
      command: '<%= config.bin %> <%= command.id %> -A',
    },
    {
      description: 'From an archive',
      command: '<%= config.bin %> <%= command.id %> --from must-gather.tar.gz',
    },
    {
      description: 'From what kubectl prints',
      command:
        'kubectl get vmim,vmi,pods,events,nodes -A -o yaml | <%= config.bin %> <%= command.id %> --from -',
    },
  ]
  static override args = {
    name: Args.string({
      description: 'NAME, vm/NAME, vmi/NAME, vmim/NAME or node/NAME',
      // Or what is piped in would be taken for the name.
      ignoreStdin: true,
    }),
  }
  static override flags = {
    ...clusterFlags,
    'all-namespaces': allNamespacesFlag,
    logs: logsFlag,
    from: Flags.string({
      helpValue: 'PATH',
      multiple: true,
      multipleNonGreedy: true,
      description:
        'file, folder or archive to read; - is standard input; may be given several times',
    }),
    now: Flags.string({
      helpValue: 'TIME',
      description: 'the moment that ages refer to (RFC 3339); from files, the newest in them',
    }),
    'fail-on': failOnFlag,
    'min-coverage': minCoverageFlag,
    output: reportFormatFlag,
    color: colorFlag,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Diagnose)
    const report = flags.from
      ? await this.ofFiles(flags.from, flags.now, args.name)
      : await this.ofCluster(args.name, flags)
    const { answerReport } = await import('../src/terminal/report-answer.ts')
    await answerReport(report, flags)
  }

  private async ofFiles(paths: string[], now: string | undefined, name: string | undefined) {
    if (name !== undefined)
      throw new MigError(EXIT.usage, `"${name}" and --from exclude each other`, {
        hint: 'of files, everything that they hold is told',
      })
    const { diagnoseFiles } = await import('../src/diagnose/from-files.ts')
    return diagnoseFiles({
      paths,
      stdin: process.stdin,
      now: momentOf(now),
      generatedAt: Date.now(),
    })
  }

  private async ofCluster(name: string | undefined, flags: LiveFlags) {
    if (flags.now !== undefined)
      throw new MigError(EXIT.usage, '--now is for files: a cluster is as it is now')
    const { parseReference } = await import('../src/kubevirt/reference.ts')
    const reference =
      name === undefined ? undefined : parseReference(name, ['vm', 'vmi', 'vmim', 'node'])
    if (reference && flags['all-namespaces'])
      throw new MigError(EXIT.usage, 'a name excludes --all-namespaces', {
        hint: 'a name belongs to a namespace: give that with -n',
      })
    if (flags.logs && (!reference || reference.kind === 'node'))
      throw new MigError(EXIT.usage, '--logs needs the name of a VM or migration')
    const { withCluster } = await import('../src/session.ts')
    const { diagnoseLive, diagnoseUnwell } = await import('../src/diagnose/live.ts')
    return withCluster(flags, {}, ({ cluster, signal, clock }) => {
      const options = { now: clock.now(), signal }
      if (reference && reference.kind !== 'node')
        return diagnoseLive(cluster, reference, { ...options, logs: flags.logs })
      const everywhere = flags['all-namespaces'] || reference?.kind === 'node'
      return diagnoseUnwell(cluster, {
        ...options,
        namespace: everywhere ? undefined : cluster.namespace,
        node: reference?.name,
      })
    })
  }
}

interface LiveFlags extends ClusterFlags {
  now?: string | undefined
  logs: boolean
  'all-namespaces': boolean
}

function momentOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = Date.parse(text)
  if (Number.isNaN(ms) || !/^\d{4}-\d\d-\d\d/.test(text))
    throw new MigError(EXIT.usage, `--now ${text} is no time`, {
      hint: 'write it like 2026-11-29T15:20:22Z',
    })
  return ms
}
