import { expect, test } from 'vitest'
import type { Vmi } from '../../src/kubevirt/types.ts'
import { parallelConnections } from '../../src/rules/parallel-connections.ts'

test.each<[string, Vmi['spec']['domain'], number]>([
  ['nothing said of CPUs', undefined, 8],
  ['CPUs requested', { resources: { requests: { cpu: '2' } } }, 8],
  ['CPUs limited', { resources: { limits: { cpu: '2' } } }, 0],
  ['memory limited', { resources: { limits: { memory: '2Gi' } } }, 8],
  ['dedicated CPUs', { cpu: { dedicatedCpuPlacement: true } }, 0],
])('%s: that many connections', (_, domain, expected) => {
  const vmi = { metadata: { name: 'vm' }, spec: domain ? { domain } : {} } as Vmi
  expect(parallelConnections(vmi)).toBe(expected)
})
