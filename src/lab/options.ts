import { systemClock } from '../clock.ts'
import { EXIT, MigError } from '../errors.ts'
import { parseQuantity, unitsOf } from '../kubevirt/quantity.ts'
import type { LabOptions } from './lab.ts'
import type { GuestKind } from './node/guest/kinds.ts'
import { demandQemu, QEMU_MEMORY } from './node/guest/qemu/program.ts'
import { demandBinaries } from './real-api/binaries.ts'
import type { Scenario } from './scenario/scenario.ts'

/**
 * What "lab up" was asked for, checked. A scenario says what the lab starts with, but for what was asked for in so many
 * words. @param isDefault whether a flag was not given
 * @throws MigError that names the flag or the scenario's line, or says what is not there
 */
export async function labOptionsOf(
  flags: LabFlags,
  isDefault: (flag: string) => boolean,
  env: NodeJS.ProcessEnv,
): Promise<LabOptions> {
  const scenario = flags.scenario === undefined ? undefined : await scenarioOf(flags.scenario)
  const wanted = Object.entries(scenario?.lab ?? {}).filter(([flag]) => isDefault(flag))
  const { name, nodes, vms, guest, memory, api, ...rest } = {
    ...flags,
    ...Object.fromEntries(wanted),
  }
  const dirtyRate = rest['dirty-rate']
  if (scenario && guest === 'none' && (scenario.lab.guest ?? 'none') !== 'none')
    throw new MigError(
      EXIT.usage,
      `--guest none: the scenario ${scenario.name} is about a copy, and such guests have nothing to copy`,
      { hint: 'synthetic and qemu have' },
    )
  checkSize('--memory', memory, guest === 'qemu' ? QEMU_MEMORY : MEMORY)
  checkSize('--dirty-rate', dirtyRate, { least: '0', most: '1Ti' })
  if (guest === 'qemu') await demandQemu(env)
  const binaries = api === 'kube-apiserver' ? await demandBinaries(env) : undefined
  return { name, nodes, vms, guest, memory, dirtyRate, scenario, clock: systemClock, binaries }
}

interface LabFlags {
  name: string
  scenario?: string | undefined
  nodes: number
  vms: number
  guest: GuestKind
  memory: string
  'dirty-rate': string
  api: 'embedded' | 'kube-apiserver'
}

async function scenarioOf(nameOrFile: string): Promise<Scenario> {
  const { scenarioFile } = await import('./scenario/folder.ts')
  const { readScenario } = await import('./scenario/read.ts')
  return readScenario(await scenarioFile(nameOrFile))
}

const MEMORY = { least: '1Mi', most: '1Ti' }

function checkSize(flag: string, text: string, { least, most }: typeof MEMORY): void {
  const bytes = (quantity: string) => {
    const amount = parseQuantity(quantity)
    return amount ? unitsOf(amount) : Number.NaN
  }
  if (bytes(text) >= bytes(least) && bytes(text) <= bytes(most)) return
  const what = Number.isNaN(bytes(text)) ? 'is no size' : 'is too little or too much'
  throw new MigError(EXIT.usage, `${flag}: "${text}" ${what}`, {
    hint: `expected a quantity from ${least} to ${most}, such as 64Mi`,
  })
}
