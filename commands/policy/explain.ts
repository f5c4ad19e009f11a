import { Args, Command, Flags } from '@oclif/core'
import { clusterFlags, colorFlag, outputFlag } from '../../src/flags.ts'

export default class PolicyExplain extends Command {
  static override summary = 'Say which settings a migration of a VM would have, and who says so'
  static override description =
    'Each setting with its source: a migration policy, the KubeVirt CR, the default of the release. Then all policies: which match, with what score, and why the others do not. With --what-if as if the policies of a file were there. KubeVirt resolves them once, when a migration is handed off.'
  static override examples = [
    {
      description: 'Which policy holds for this VM, and why?',
      command: '<%= config.bin %> <%= command.id %> vm-1 -n demo',
    },
    {
      description: 'What would a policy change, before it is applied?',
      command: '<%= config.bin %> <%= command.id %> vm-1 --what-if policy.yaml',
    },
  ]
  static override args = {
    vm: Args.string({
      ignoreStdin: true,
      required: true,
      description: 'NAME, vm/NAME or vmi/NAME',
    }),
  }
  static override flags = {
    ...clusterFlags,
    'what-if': Flags.string({
      helpValue: 'FILE',
      description:
        'MigrationPolicies to take as if they were there, - reads stdin; nothing is written',
    }),
    output: outputFlag(),
    color: colorFlag,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PolicyExplain)
    const { parseReference } = await import('../../src/kubevirt/reference.ts')
    const reference = parseReference(args.vm, ['vm', 'vmi'])
    const { withCluster } = await import('../../src/session.ts')
    const { explainPolicy } = await import('../../src/migrate/explain-policy.ts')
    const { policyLines } = await import('../../src/terminal/policy-view.ts')
    const { print } = await import('../../src/terminal/output.ts')
    const { terminalOf } = await import('../../src/terminal/terminal.ts')

    const explanation = await withCluster(flags, {}, ({ cluster, signal, clock }) =>
      explainPolicy(cluster, reference, {
        namespace: cluster.namespace,
        signal,
        whatIf: flags['what-if'],
        stdin: process.stdin,
        now: clock.now(),
      }),
    )
    const out = terminalOf(process.stdout, { color: flags.color })
    await print(out, explanation, flags.output, () => policyLines(explanation, out))
  }
}
