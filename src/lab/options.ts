import { systemClock } from '../clock.ts'
import { EXIT, MigError } from '../errors.ts'
import { parseQuantity, unitsOf } from '../kubevirt/quantity.ts'
import type { LabOptions } from './lab.ts'
import type { GuestKind } from './node/guest/kinds.ts'

/** What "lab up" was asked for, checked. @throws MigError that names the flag */
export function labOptionsOf(flags: {
  name: string
  nodes: number
  vms: number
  guest: GuestKind
  memory: string
  'dirty-rate': string
}): LabOptions {
  const { name, nodes, vms, guest, memory, 'dirty-rate': dirtyRate } = flags
  checkSize('--memory', memory, 2 ** 20)
  checkSize('--dirty-rate', dirtyRate, 0)
  return { name, nodes, vms, guest, memory, dirtyRate, clock: systemClock }
}

function checkSize(flag: string, text: string, least: number): void {
  const amount = parseQuantity(text)
  if (amount && unitsOf(amount) >= least && unitsOf(amount) <= 2 ** 40) return
  throw new MigError(EXIT.usage, `${flag}: "${text}" is no size`, {
    hint: `expected a quantity such as 64Mi or 1Gi${least > 0 ? ', at least 1Mi' : ''}`,
  })
}
