import { Args, Command, Flags } from '@oclif/core'
import { EXIT, MigError } from '../../src/errors.ts'
import { parseHostPort, parseTimeLimit, probeFlags, probeTimeoutFlag } from '../../src/flags.ts'
import { SERVER_NAME } from '../../src/tls/names.ts'

export default class ProbeTls extends Command {
  static override summary = "Try one TLS handshake from this machine with a target's proxy"
  static override description =
    "As the proxy of a source does it: is the target's certificate signed by the bundle, named as expected, valid now, a server's; and, with --cert and --key, does it let us in. Without them the connection ends at the proxy. With them it is taken through to what is behind it: only ever try the port of label 0, for at those of memory and disks QEMU may take it for a migration's. Exit 3 when something is wrong."
  static override examples = [
    {
      description: 'Who listens there, and whether its certificate will do',
      command: '<%= config.bin %> <%= command.id %> 10.0.0.7:35001 --ca ca.crt',
    },
    {
      description: 'Whether it lets a source of KubeVirt 1.7 and newer in; as JSON',
      command:
        '<%= config.bin %> <%= command.id %> 10.0.0.7:35001 --ca ca.crt --cert tls.crt --key tls.key -o json',
    },
  ]
  static override args = {
    address: Args.string({
      required: true,
      description: 'HOST:PORT, IPv6 in brackets',
      ignoreStdin: true,
    }),
  }
  static override flags = {
    ca: Flags.string({
      required: true,
      helpValue: 'FILE',
      description: 'bundle of the authorities to trust, PEM (configmap kubevirt-ca, key ca-bundle)',
    }),
    cert: Flags.string({ helpValue: 'FILE', description: "the source's certificate, PEM" }),
    key: Flags.string({ helpValue: 'FILE', description: 'its private key, PEM' }),
    'expect-name': Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'CN',
      description: `Common Name to expect (${SERVER_NAME}, that of all KubeVirt releases)`,
    }),
    timeout: probeTimeoutFlag,
    ...probeFlags,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ProbeTls)
    const { host, port } = parseHostPort(args.address)
    const timeoutMs = parseTimeLimit(flags.timeout, '--timeout')
    if ((flags.cert === undefined) !== (flags.key === undefined))
      throw new MigError(EXIT.usage, '--cert and --key belong together')
    const { parseBundle } = await import('../../src/tls/chain.ts')
    const { checkBundle, readKeyPair } = await import('../../src/tls/key-pair.ts')
    const { readPem } = await import('../../src/tls/read-pem.ts')
    const { lookAtTls } = await import('../../src/probe/local-tls.ts')
    const { judgeTls } = await import('../../src/diagnose/probed/tls.ts')
    const { answerProbe } = await import('../../src/terminal/probe-answer.ts')
    await answerProbe(flags, async (signal, now) => {
      const ca = await readPem(flags.ca)
      checkBundle(ca, flags.ca, now)
      const { cert, key } = flags
      const pair = cert && key ? await readKeyPair({ cert, key }, now) : undefined
      return judgeTls(await lookAtTls(host, port, { timeoutMs, signal, pair }), {
        ours: pair && parseBundle(pair.cert),
        authorities: parseBundle(ca),
        names: flags['expect-name'] ?? [SERVER_NAME],
        now,
      })
    })
  }
}
