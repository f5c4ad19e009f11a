import { resolve } from 'node:path'
import { Command, Flags } from '@oclif/core'
import { labNameFlag } from '../../src/flags.ts'

export default class LabUp extends Command {
  static override summary = 'Start a lab: a whole small KubeVirt cluster in one process'
  static override description =
    'It has an API that kubectl can talk to, the migration controller, a scheduler, and nodes that move guests of real bytes over real TLS proxies. It ends with Ctrl-C or, when it runs in the background, with "kubectl mig lab down".'
  static override examples = [
    {
      description: 'Three nodes and four VMs, until Ctrl-C',
      command: '<%= config.bin %> <%= command.id %>',
    },
    {
      description: 'In the background, with VMs that write 20 MiB a second',
      command: '<%= config.bin %> <%= command.id %> --detach --vms 10 --dirty-rate 20Mi',
    },
    {
      description: 'One in which something is wrong, to find out what ("lab scenarios" lists them)',
      command: '<%= config.bin %> <%= command.id %> --detach --scenario quota',
    },
  ]
  static override flags = {
    name: labNameFlag,
    scenario: Flags.string({
      helpValue: 'NAME|FILE',
      description:
        'bring it into the state of a scenario; what that starts with, other flags change',
    }),
    nodes: Flags.integer({
      helpValue: 'N',
      default: 3,
      min: 1,
      max: 200,
      description: 'how many nodes it has',
    }),
    vms: Flags.integer({
      helpValue: 'N',
      default: 4,
      min: 0,
      max: 10_000,
      description: 'how many VMs run on it, vm-1 and so on; the last one has a local disk',
    }),
    guest: Flags.option({
      options: ['synthetic', 'qemu', 'none'] as const,
      default: 'synthetic' as const,
      description:
        'VMs with memory that is really copied, played here or each a real QEMU, or without (for very many)',
    })(),
    api: Flags.option({
      options: ['embedded', 'kube-apiserver'] as const,
      default: 'embedded' as const,
      description: 'its own API server, or the kube-apiserver and etcd in $KUBEBUILDER_ASSETS',
    })(),
    memory: Flags.string({ helpValue: 'SIZE', default: '64Mi', description: 'memory of each VM' }),
    'dirty-rate': Flags.string({
      helpValue: 'SIZE',
      default: '4Mi',
      description: 'memory that each VM writes a second; 0 for VMs that are idle',
    }),
    detach: Flags.boolean({ description: 'run it in the background; return when it is ready' }),
    child: Flags.boolean({ hidden: true, description: 'this is the process in the background' }),
  }

  async run(): Promise<void> {
    const { flags, metadata } = await this.parse(LabUp)
    const { labOptionsOf } = await import('../../src/lab/options.ts')
    const options = await labOptionsOf(
      flags,
      (flag) => metadata.flags[flag]?.setFromDefault === true,
      process.env,
    )
    const { interruption } = await import('../../src/interrupt.ts')
    const { labEventLine, labUpLines, scenarioLines } = await import('../../src/terminal/lab.ts')
    const print = (lines: string[]) => process.stdout.write(lines.map((l) => `${l}\n`).join(''))
    const story = options.scenario ? scenarioLines(options.scenario) : []
    const sayWait = (what: string) => void process.stderr.write(`waiting: ${what}\n`)
    const { signal, close } = interruption({ quiet: true })
    try {
      if (flags.detach) {
        const { startDetached } = await import('../../src/lab/detach.ts')
        const given = this.argv.filter((word) => word !== '--detach').map(fromAnywhere)
        const lab = await startDetached(['lab', 'up', ...given, '--child'], signal, sayWait)
        print([...labUpLines(lab, options.scenario), ...story])
        return
      }
      const { runLab } = await import('../../src/lab/run.ts')
      const { starter } = await import('../../src/lab/detach.ts')
      const told = flags.child ? starter() : undefined
      await runLab({
        ...options,
        env: process.env,
        signal,
        onWait: told ? told.waits : sayWait,
        onFailure: told?.failed,
        onClaim: (abandon) => void process.once('exit', abandon),
        onReady: (lab) => {
          if (told) told.ready(lab)
          else print([...labUpLines(lab, options.scenario), ...story, 'Ctrl-C ends it.'])
        },
        onEvent: told ? undefined : (event) => process.stderr.write(`${labEventLine(event)}\n`),
      })
    } finally {
      close()
    }
  }
}

/** The process in the background is in another folder: it gets a file by its whole path. */
function fromAnywhere(word: string, at: number, all: string[]): string {
  const [, flag = '', file = ''] = /^(--scenario=)?(.*)$/s.exec(word) ?? []
  const isScenario = flag !== '' || all[at - 1] === '--scenario'
  return isScenario && /[/.]/.test(file) ? `${flag}${resolve(file)}` : word
}
