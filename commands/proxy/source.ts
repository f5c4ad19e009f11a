import { Command, Flags } from '@oclif/core'
import { parseDuration, parseTimeLimit, proxyFlags } from '../../src/flags.ts'

export default class ProxySource extends Command {
  static override summary = "Run the source's side of KubeVirt's migration proxy on this node"
  static override description =
    'It listens on one unix socket for each port of the target, and prints their paths as one JSON line when it does. Its log goes to stderr. It runs until SIGTERM or SIGINT and then lets streams finish.'
  static override examples = [
    {
      description: 'Over mutual TLS, as KubeVirt runs it',
      command:
        '<%= config.bin %> <%= command.id %> --key UID --target 10.0.0.7 --port-map \'{"35001": 0, "41068": 49152}\' --base-dir /var/run/kubevirt --ca ca.crt --client-cert tls.crt --client-key tls.key',
    },
    {
      description: 'In clear, to try it on one machine; the map is what the target has printed',
      command:
        '<%= config.bin %> <%= command.id %> --key try --target 127.0.0.1 --port-map \'{"41000": 49152}\' --base-dir /tmp/m --disable-tls',
    },
  ]
  static override flags = {
    ...proxyFlags,
    target: Flags.string({
      required: true,
      helpValue: 'ADDR',
      description: "the target proxy's IP address",
    }),
    'port-map': Flags.string({
      required: true,
      helpValue: 'JSON|-',
      description: 'what the target has printed, {"REAL PORT": LABEL, …}; - reads it from stdin',
    }),
    'base-dir': Flags.string({
      required: true,
      helpValue: 'DIR',
      description: 'the sockets are made in its folder migrationproxy',
    }),
    'client-cert': Flags.string({ helpValue: 'FILE', description: 'certificate to present, PEM' }),
    'client-key': Flags.string({ helpValue: 'FILE', description: 'its private key, PEM' }),
    'legacy-client-cert': Flags.string({
      helpValue: 'FILE',
      description: 'certificate to present to targets up to KubeVirt 1.6, which refuse the other',
    }),
    'legacy-client-key': Flags.string({ helpValue: 'FILE', description: 'its private key, PEM' }),
    'socket-owner': Flags.string({
      helpValue: 'UID:GID',
      description: "who may connect to the sockets (107:107, QEMU's, when run by root)",
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(ProxySource)
    const { parseAddress, parseSocketOwner, readPortMap, tlsFilesOf } = await import(
      '../../src/proxy/arguments.ts'
    )
    const { thisProcess } = await import('../../src/proxy/process.ts')
    const { serveProxy } = await import('../../src/proxy/serve.ts')

    const portMap = await readPortMap(flags['port-map'], process.stdin)
    const socketOwner = parseSocketOwner(flags['socket-owner'], process.getuid?.())
    const metrics = flags['metrics-addr']
    await serveProxy(
      async (manager) => {
        await manager.startSourceListener(flags.key, flags.target, portMap, flags['base-dir'])
        return manager.sourceListenerFiles(flags.key)
      },
      {
        ...thisProcess(),
        graceMs: parseDuration(flags.grace, '--grace'),
        limits: {
          dialMs: parseTimeLimit(flags['dial-timeout'], '--dial-timeout'),
          handshakeMs: parseTimeLimit(flags['handshake-timeout'], '--handshake-timeout'),
        },
        ...(metrics && { metrics: parseAddress(metrics, '--metrics-addr') }),
        ...(socketOwner && { socketOwner }),
        tls: tlsFilesOf(flags, 'client'),
      },
    )
  }
}
