import { Args, Command, Flags } from '@oclif/core'
import { EXIT, MigError } from '../../src/errors.ts'
import { probeFlags } from '../../src/flags.ts'

export default class ProbeSocket extends Command {
  static override summary = 'Look at a unix socket of the migration proxy on this machine'
  static override description =
    "Is its path short enough, is it there, who may connect, does somebody listen. It looks in the file system and in the kernel's table of this network namespace. With --connect it also opens one connection, but never to a socket of memory or disks, where QEMU may take it for a migration's. Exit 3 when something is wrong, 8 when that can't be told."
  static override examples = [
    {
      description: 'In a virt-handler container, whether the proxy of a source still listens',
      command:
        '<%= config.bin %> <%= command.id %> /proc/4711/root/var/run/kubevirt/migrationproxy/UID-source.sock',
    },
    {
      description: 'Whether libvirt of the target takes a connection; as JSON',
      command:
        '<%= config.bin %> <%= command.id %> /proc/4711/root/var/run/libvirt/virtqemud-sock --connect -o json',
    },
  ]
  static override args = {
    path: Args.string({ required: true, description: 'path of the socket', ignoreStdin: true }),
  }
  static override flags = {
    connect: Flags.boolean({ description: 'also open one connection' }),
    ...probeFlags,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ProbeSocket)
    const { isData, judgeSocket } = await import('../../src/diagnose/probed/socket.ts')
    if (args.path === '') throw new MigError(EXIT.usage, 'the path is empty')
    const { endOfLinks, lookAtSocket } = await import('../../src/probe/local-socket.ts')
    if (flags.connect && isData(await endOfLinks(args.path))) {
      throw new MigError(EXIT.usage, `--connect: ${args.path} is a socket of memory or disks`, {
        hint: "QEMU may take a stray connection for a migration's; without --connect it is only looked at",
      })
    }
    const { answerProbe } = await import('../../src/terminal/probe-answer.ts')
    await answerProbe(flags, async () => judgeSocket(await lookAtSocket(args.path, flags.connect)))
  }
}
