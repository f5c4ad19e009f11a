import { Args, Command } from '@oclif/core'
import { clusterFlags, colorFlag, outputFlag } from '../src/flags.ts'

export default class Ports extends Command {
  static override summary = "Show a migration's channels: labels, real ports, sockets"
  static override description =
    'The labels 0, 49152 and 49153 look like ports but only name channels; the TCP ports are random. Only what belongs to this very migration is shown.'
  static override examples = [
    {
      description: 'The ports of the migration that a VM is in',
      command: '<%= config.bin %> <%= command.id %> vm-1',
    },
    {
      description: 'The TCP ports that a firewall must let through now',
      command: "<%= config.bin %> <%= command.id %> vm-1 -n demo -o json | jq -r '.ports[].port'",
    },
  ]
  static override args = {
    name: Args.string({
      ignoreStdin: true,
      required: true,
      description: 'NAME, vm/NAME, vmi/NAME or vmim/NAME',
    }),
  }
  static override flags = { ...clusterFlags, output: outputFlag(), color: colorFlag }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Ports)
    const { parseReference } = await import('../src/kubevirt/reference.ts')
    const reference = parseReference(args.name, ['vm', 'vmi', 'vmim'])
    const { withCluster } = await import('../src/session.ts')
    const { findSubject } = await import('../src/migrate/find.ts')
    const { portMapOf } = await import('../src/migrate/ports.ts')
    const { portLines } = await import('../src/terminal/ports-view.ts')
    const { print } = await import('../src/terminal/output.ts')
    const { terminalOf } = await import('../src/terminal/terminal.ts')

    const subject = await withCluster(flags, {}, ({ cluster, signal }) =>
      findSubject(cluster, reference, { namespace: cluster.namespace, signal }),
    )
    const map = portMapOf(subject, Date.now())
    const out = terminalOf(process.stdout, { color: flags.color })
    await print(out, map, flags.output, () => portLines(map, out))
  }
}
