import { Command, Flags } from '@oclif/core'
import { parseDuration, parseTimeLimit, proxyFlags } from '../../src/flags.ts'

export default class ProxyTarget extends Command {
  static override summary = "Run the target's side of KubeVirt's migration proxy on this node"
  static override description =
    'It listens on one TCP port for each unix socket of the target launcher, and prints {"REAL PORT": LABEL} as one JSON line when it does. Its log goes to stderr. It runs until SIGTERM or SIGINT and then lets streams finish.'
  static override examples = [
    {
      description: 'Over mutual TLS, as KubeVirt runs it',
      command:
        '<%= config.bin %> <%= command.id %> --key UID --bind 10.0.0.7 --unix 0=/run/libvirt/virtqemud-sock --unix 49152=/run/m/UID-49152-source.sock --ca ca.crt --server-cert tls.crt --server-key tls.key',
    },
    {
      description: 'In clear and within ten ports, to try it on one machine; with metrics',
      command:
        '<%= config.bin %> <%= command.id %> --key try --bind 127.0.0.1 --port-range 41000-41009 --unix 49152=/tmp/m/target.sock --disable-tls --metrics-addr 127.0.0.1:9090',
    },
  ]
  static override flags = {
    ...proxyFlags,
    unix: Flags.string({
      required: true,
      multiple: true,
      multipleNonGreedy: true,
      helpValue: '[LABEL=]PATH',
      description:
        'unix socket to serve; the label (0, 49152 or 49153) is found in its name when not given. Once for each',
    }),
    bind: Flags.string({
      required: true,
      helpValue: 'ADDR',
      description: "address to listen on: the migration network's; :: is KubeVirt's way, every one",
    }),
    'port-range': Flags.string({
      helpValue: 'A-B',
      description:
        'take the ports from here, the lowest that are free in the order of the labels, so that a firewall rule can be written',
    }),
    'server-cert': Flags.string({ helpValue: 'FILE', description: 'certificate to present, PEM' }),
    'server-key': Flags.string({ helpValue: 'FILE', description: 'its private key, PEM' }),
    'accept-client-name': Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'CN',
      description: 'Common Name of sources to let in (those of all KubeVirt releases)',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(ProxyTarget)
    const { checkBindAddress, parseAddress, parseTargetFile, tlsFilesOf } = await import(
      '../../src/proxy/arguments.ts'
    )
    const { parsePortRange } = await import('../../src/proxy/port-range.ts')
    const { thisProcess } = await import('../../src/proxy/process.ts')
    const { serveProxy } = await import('../../src/proxy/serve.ts')

    checkBindAddress(flags.bind)
    const files = flags.unix.map((text) => parseTargetFile(flags.key, text))
    const range = flags['port-range']
    const metrics = flags['metrics-addr']
    await serveProxy(
      async (manager) => {
        await manager.startTargetListener(flags.key, files)
        return manager.targetListenerPorts(flags.key)
      },
      {
        ...thisProcess(),
        graceMs: parseDuration(flags.grace, '--grace'),
        limits: {
          dialMs: parseTimeLimit(flags['dial-timeout'], '--dial-timeout'),
          handshakeMs: parseTimeLimit(flags['handshake-timeout'], '--handshake-timeout'),
        },
        ...(metrics && { metrics: parseAddress(metrics, '--metrics-addr') }),
        bind: flags.bind,
        ...(range && { portRange: parsePortRange(range) }),
        tls: tlsFilesOf(flags, 'server'),
      },
    )
  }
}
