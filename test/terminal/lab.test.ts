import { expect, test } from 'vitest'
import type { Scenario } from '../../src/lab/scenario/scenario.ts'
import { labUpLines } from '../../src/terminal/lab.ts'

const scenario = { name: 'mine', title: 'Mine' } as Scenario

test.each([
  [0, undefined, '2 nodes, no VM.', 0],
  [3, undefined, '2 nodes, vm-1 to vm-3.', 1],
  [0, scenario, '2 nodes, the VM of its scenario.', 0],
  [3, scenario, '2 nodes, vm-1 to vm-3.', 0],
])(
  'a lab of %i VMs that is up says which there are, and what to try unless a scenario does: %o',
  (vms, played, what, tries) => {
    const record = {
      name: 'blue',
      pid: 1,
      processStart: '',
      createdAt: '2026-01-01T00:00:00Z',
      nodes: 2,
      vms,
      guest: 'none' as const,
    }
    const lines = labUpLines({ record, kubeconfig: '/k' }, played)
    expect(lines[0]).toBe(`Lab "blue" is up: ${what} To use it:`)
    expect(lines.filter((line) => line === '  kubectl mig migrate vm-1')).toHaveLength(tries)
  },
)
