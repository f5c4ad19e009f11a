import { systemClock } from '../clock.ts'
import { EXIT, MigError } from '../errors.ts'
import { parseQuantity, unitsOf } from '../kubevirt/quantity.ts'
import type { LabOptions } from './lab.ts'
import type { GuestKind } from './node/guest/kinds.ts'
import { demandBinaries } from './real-api/binaries.ts'

/** What "lab up" was asked for, checked. @throws MigError that names the flag, or says what is not there */
export async function labOptionsOf(flags: LabFlags, env: NodeJS.ProcessEnv): Promise<LabOptions> {
  const { name, nodes, vms, guest, memory, 'dirty-rate': dirtyRate, api } = flags
  checkSize('--memory', memory, 2 ** 20)
  checkSize('--dirty-rate', dirtyRate, 0)
  const binaries = api === 'kube-apiserver' ? await demandBinaries(env) : undefined
  return { name, nodes, vms, guest, memory, dirtyRate, clock: systemClock, binaries }
}

interface LabFlags {
  name: string
  nodes: number
  vms: number
  guest: GuestKind
  memory: string
  'dirty-rate': string
  api: 'embedded' | 'kube-apiserver'
}

function checkSize(flag: string, text: string, least: number): void {
  const amount = parseQuantity(text)
  if (amount && unitsOf(amount) >= least && unitsOf(amount) <= 2 ** 40) return
  throw new MigError(EXIT.usage, `${flag}: "${text}" is no size`, {
    hint: `expected a quantity such as 64Mi or 1Gi${least > 0 ? ', at least 1Mi' : ''}`,
  })
}
