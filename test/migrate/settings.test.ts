import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { create } from '../../src/cluster/objects.ts'
import { MIGRATION_POLICIES } from '../../src/kubevirt/resources.ts'
import type { MigrationConfiguration } from '../../src/kubevirt/types.ts'
import { reportOf } from '../../src/migrate/report.ts'
import { fixedSettings, type SettingReport } from '../../src/migrate/settings.ts'
import { migrationObject, startMigration } from '../../src/migrate/start.ts'
import { readStatus } from '../../src/migrate/status.ts'
import { statusText } from '../../src/terminal/status-text.ts'
import { pipe } from '../terminal/screen.ts'
import { COMPLETED, known, migration, ms, TRACE_01, upTo, vmi } from './objects.ts'
import { startStage } from './stage.ts'

const NOW: SettingReport[] = [
  { name: 'bandwidthPerMigration', value: '0', from: 'default', source: '1.9', labels: [] },
  { name: 'progressTimeout', value: 300, from: 'kubevirt', source: 'kubevirt', labels: [] },
  { name: 'allowPostCopy', value: true, from: 'policy', source: 'fast', labels: ['a=b of the VM'] },
]

describe('what was resolved at hand-off', () => {
  test('is told with its source where the same is configured still, however it is written', () => {
    const fixed = fixedSettings(
      { bandwidthPerMigration: '0Mi', progressTimeout: '300', allowPostCopy: true },
      NOW,
      'fast',
    )
    expect(fixed.map(({ value, from, source }) => [value, from, source])).toEqual([
      ['0Mi', 'default', '1.9'],
      ['300', 'kubevirt', 'kubevirt'],
      [true, 'policy', 'fast'],
    ])
  })

  test('is told in the order of the defaults, then by name, whatever order the server has', () => {
    const names = (configuration: MigrationConfiguration) =>
      fixedSettings(configuration, NOW, undefined).map(({ name }) => name)
    expect(
      names({
        network: 'n',
        allowWorkloadDisruption: true,
        disableTLS: false,
        allowPostCopy: true,
        bandwidthPerMigration: '1Mi',
        parallelMigrationsPerCluster: 5,
      }),
    ).toEqual([
      'parallelMigrationsPerCluster',
      'bandwidthPerMigration',
      'allowPostCopy',
      'allowWorkloadDisruption',
      'disableTLS',
      'network',
    ])
  })

  test('is the hand-off’s own where it is configured otherwise now, or by another policy', () => {
    const fixed = fixedSettings({ progressTimeout: 150, allowPostCopy: true }, NOW, 'gone')
    expect(fixed.map(({ from, source }) => [from, source])).toEqual([
      ['hand-off', 'gone'],
      ['hand-off', 'gone'],
    ])
  })

  test('holds for a migration, whatever is configured since; one that failed before has none', () => {
    const settings = (of: ReturnType<typeof known>) =>
      reportOf(of, ms(20), { settings: NOW }).settings
    const state = { ...COMPLETED, migrationConfiguration: { progressTimeout: 150 } }
    expect(settings(known(migration(TRACE_01), { vmi: vmi(state) }))).toEqual([
      { name: 'progressTimeout', value: 150, from: 'hand-off', source: null, labels: [] },
    ])
    expect(settings(known(migration([['Failed', 3]])))).toBeNull()
    expect(settings(known(migration(upTo('Scheduling')), { vmi: vmi() }))).toEqual(NOW)
  })
})

test('a status says which settings hold; without permission that they cannot be seen', async () => {
  const stage = await startStage()
  await stage.addVm('vm-1', { labels: { tier: 'gold' } })
  await create(stage.admin, MIGRATION_POLICIES, {
    apiVersion: 'migrations.kubevirt.io/v1alpha1',
    kind: 'MigrationPolicy',
    metadata: { name: 'gold' },
    spec: {
      selectors: { virtualMachineInstanceSelector: { tier: 'gold' } },
      bandwidthPerMigration: '64Mi',
    },
  })
  await startMigration(stage.admin, migrationObject('demo', 'vm-1'))
  const options = { reference: { kind: 'vm' as const, name: 'vm-1', text: '' }, namespace: 'demo' }
  const look = { clock: systemClock, signal: new AbortController().signal }
  const status = await readStatus(stage.admin, options, look)
  const lines = statusText(status, pipe().terminal, systemClock.now(), {})
  expect(lines).toContain(
    'bandwidthPerMigration               64Mi                policy gold (tier=gold of the VM)',
  )
  expect(lines).toContain('progressTimeout                     150                 default of 1.9')

  const unseen = {
    ...stage.admin,
    request: ((request) =>
      request.path.includes('migrationpolicies')
        ? viewer.request(request)
        : stage.admin.request(request)) as typeof stage.admin.request,
  }
  const viewer = await stage.as('viewer')
  const partly = await readStatus(unseen, options, look)
  expect(partly.settings).toBeUndefined()
  expect(partly.gaps.map(({ what }) => what)).toEqual(['settings'])
})
