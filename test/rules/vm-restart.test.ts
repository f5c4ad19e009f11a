import { expect, test } from 'vitest'
import type { VmiSpec } from '../../src/kubevirt/types.ts'
import { restartRequired } from '../../src/rules/vm-restart.ts'

const started: VmiSpec = {
  nodeSelector: { zone: 'a' },
  networks: [{ name: 'default', pod: {} }],
  volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'one' } }],
  domain: {
    cpu: { cores: 1, sockets: 1 },
    memory: { guest: '1Gi' },
    devices: { disks: [{ name: 'root' }], interfaces: [{ name: 'default', masquerade: {} }] },
  },
}
const cluster = (configuration: Record<string, unknown>) => ({
  metadata: { name: 'k' },
  spec: { configuration },
})
const withClaims = (...names: string[]): VmiSpec => ({
  ...started,
  volumes: names.map((claimName) => ({ name: 'root', persistentVolumeClaim: { claimName } })),
})
const plugged: VmiSpec = {
  ...started,
  volumes: [
    ...(started.volumes ?? []),
    { name: 'extra', persistentVolumeClaim: { claimName: 'two', hotpluggable: true } },
  ],
  domain: {
    ...started.domain,
    devices: { ...started.domain?.devices, disks: [{ name: 'root' }, { name: 'extra' }] },
  },
}
const domain = (change: object): VmiSpec => ({
  ...started,
  domain: { ...started.domain, ...change },
})

test.each<[string, VmiSpec, boolean, boolean]>([
  ['nothing', started, false, false],
  ['sockets', domain({ cpu: { cores: 1, sockets: 2 } }), false, true],
  ['memory', domain({ memory: { guest: '2Gi' } }), false, true],
  ['where it may run', { ...started, nodeSelector: { zone: 'b' } }, false, true],
  ['networks', { ...started, networks: [] }, false, false],
  ['its volumes', { ...started, volumes: [] }, true, true],
  ['a claim', withClaims('other'), true, true],
  ['what is plugged in', plugged, false, false],
  ['cores', domain({ cpu: { cores: 2, sockets: 1 } }), true, true],
  ['the CPU model', domain({ cpu: { ...started.domain?.cpu, model: 'Haswell' } }), true, true],
  ['its hostname', { ...started, hostname: 'other' }, true, true],
])('a change of %s needs a restart as it should', (_, template, live, staged) => {
  const spec = { template: { spec: template } }
  expect(restartRequired(started, spec, undefined) !== undefined).toBe(live)
  const stage = cluster({ vmRolloutStrategy: 'Stage' })
  expect(restartRequired(started, spec, stage)?.message ?? '').toBe(
    staged ? 'a non-live-updatable field was changed in the template spec' : '',
  )
})

test('another claim needs none where a migration fills it', () => {
  const moved = {
    updateVolumesStrategy: 'Migration',
    template: { spec: withClaims('other') },
  }
  expect(restartRequired(started, moved, undefined)).toBeUndefined()
  expect(restartRequired(started, moved, cluster({ vmRolloutStrategy: 'Stage' }))).toBeDefined()
})
