import { Args, Command } from '@oclif/core'
import { parseHostPort, parseTimeLimit, probeFlags, probeTimeoutFlag } from '../../src/flags.ts'

export default class ProbeListener extends Command {
  static override summary = "Try one TCP connection from this machine to a target's proxy"
  static override description =
    "Tells apart whether it is taken, refused, not answered in time, or has no way. Only ever try the port of label 0: KubeVirt's proxy takes a connection through to what is behind it, and at the ports of memory and disks QEMU may take it for a migration's. Exit 3 when there is no connection."
  static override examples = [
    {
      description: 'From the source node, whether the target can be reached',
      command: '<%= config.bin %> <%= command.id %> 10.0.0.7:35001',
    },
    {
      description: 'In a script, over IPv6, with two seconds',
      command: "<%= config.bin %> <%= command.id %> '[fd00::7]:35001' --timeout 2s -o json",
    },
  ]
  static override args = {
    address: Args.string({
      required: true,
      description: 'HOST:PORT, IPv6 in brackets',
      ignoreStdin: true,
    }),
  }
  static override flags = { timeout: probeTimeoutFlag, ...probeFlags }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ProbeListener)
    const { host, port } = parseHostPort(args.address)
    const timeoutMs = parseTimeLimit(flags.timeout, '--timeout')
    const { lookAtListener } = await import('../../src/probe/local-listener.ts')
    const { judgeListener } = await import('../../src/diagnose/probed/listener.ts')
    const { answerProbe } = await import('../../src/terminal/probe-answer.ts')
    await answerProbe(flags, async (signal) =>
      judgeListener(await lookAtListener(host, port, { timeoutMs, signal })),
    )
  }
}
