import { describe, expect, test } from 'vitest'
import { patch } from '../../src/cluster/objects.ts'
import { EXIT } from '../../src/errors.ts'
import { KUBEVIRTS } from '../../src/kubevirt/resources.ts'
import { firstSight, type Observed } from '../../src/migrate/observed.ts'
import { portMapOf } from '../../src/migrate/ports.ts'
import { queueOf } from '../../src/migrate/queue.ts'
import { reportOf } from '../../src/migrate/report.ts'
import { settingReports } from '../../src/migrate/settings.ts'
import { resolveTarget } from '../../src/migrate/target.ts'
import { timelineOf } from '../../src/migrate/timeline.ts'
import { settingsFor } from '../../src/rules/configuration.ts'
import { timelineLines } from '../../src/terminal/timeline-view.ts'
import { startStage } from '../migrate/stage.ts'
import { pipe } from '../terminal/screen.ts'
import { afterStep, kubevirtOf, RELEASES, T0 } from './recording.ts'

const NOW = T0 + 60_000

function seen(release: string, scenario: string, step: number, name = 'vm-1-m'): Observed {
  const { migrations, vmis, events } = afterStep(release, scenario, step)
  const migration = migrations.find(({ metadata }) => metadata.name === name)!
  const vmi = vmis.find(({ metadata }) => metadata.name === migration.spec.vmiName)
  const byName = new Map(events.map((event) => [event.metadata.name, event]))
  return { ...firstSight(migration, vmi), events: byName }
}

const STEPS = [
  [2, 'PreparingTarget', 'unpublished'],
  [3, 'TargetReady', 'open'],
  [4, 'Running', 'open'],
  [6, 'Succeeded', 'closed'],
] as const

describe.each(RELEASES)('a cluster of KubeVirt %s', (release) => {
  test.each(STEPS)('after step %i of a move: %s, ports %s', (step, phase, state) => {
    const observed = seen(release, '01-normal', step)
    const { migration, vmi } = observed
    const report = reportOf(observed, NOW)
    expect(report).toMatchObject({ phase, sourceNode: 'node-2', failure: null })
    expect(report.targetNode).toMatch(/^node-[13]$/)
    // Only since 1.3 the state says which pod is the source.
    expect(report.sourcePod).toBe(release === 'v1.1.0' ? null : 'virt-launcher-vm-1-<1>')
    const subject = { namespace: 'demo', name: 'vm-1', vm: undefined, vmi, migration }
    const map = portMapOf(subject, NOW)
    expect(map.state).toBe(state)
    expect(map.ports.map(({ port, label }) => [port, label])).toEqual(
      state === 'unpublished'
        ? [
            [null, 0],
            [null, 49152],
          ]
        : [
            [41001, 0],
            [41002, 49152],
          ],
    )
  })

  test('a move that is over has its timeline, and the settings that its release had', () => {
    const observed = seen(release, '01-normal', 6)
    expect(timelineOf(observed, NOW)).toMatchObject({ outcome: 'succeeded' })
    expect(timelineLines(observed, pipe().terminal, NOW)[0]).toMatch(
      /^vm-1: moved .*, node-2 → node-/,
    )
    const kubevirt = kubevirtOf(release)
    const now = settingReports(settingsFor(kubevirt), { policy: undefined, kubevirt })
    const { settings } = reportOf(observed, NOW, { settings: now })
    expect(settings?.find(({ name }) => name === 'completionTimeoutPerGiB')).toEqual({
      name: 'completionTimeoutPerGiB',
      value: 800,
      from: 'default',
      source: release.slice(1, 4),
      labels: [],
    })
    expect(settings?.every(({ from }) => from === 'default')).toBe(true)
    expect(settings?.map(({ name }) => name)).not.toContain('allowWorkloadDisruption')
  })

  test('a copy that broke says why, as far as the release tells', () => {
    const { outcome, failure } = reportOf(seen(release, '14-copy-fails', 5), NOW)
    expect(outcome).toBe('failed')
    expect(failure?.reason).toBe(
      release === 'v1.1.0'
        ? 'source node reported migration failed'
        : 'internal error: QEMU unexpectedly closed the monitor',
    )
  })

  test("one whose record these releases overwrite with the next one's shows nothing of that", () => {
    const failed = seen(release, '14-copy-fails', 7)
    expect(failed.migration.status?.migrationState?.completed).toBe(true)
    expect(reportOf(failed, NOW)).toMatchObject({ outcome: 'failed', targetNode: null, copy: null })
    const next = reportOf(seen(release, '14-copy-fails', 7, 'vm-1-again'), NOW)
    expect(next).toMatchObject({ outcome: 'succeeded', sourceNode: 'node-1', targetNode: 'node-2' })
  })

  test('one that waits for a slot is held by the limit that held it there', () => {
    const { migrations, vmis } = afterStep(release, '08-cluster-limit', 2)
    const limits = { parallelMigrationsPerCluster: 2, parallelOutboundMigrationsPerNode: 10 }
    const view = { migrations, vmis, pods: [], kubevirt: kubevirtOf(release, limits) }
    const { limits: told, running, waiting } = queueOf(view, 'demo', NOW)
    expect(told[0]).toMatchObject({ limit: 'cluster', used: 2, of: 2 })
    expect(running.map(({ vm }) => vm)).toEqual(['vm-1', 'vm-2'])
    expect(waiting).toMatchObject([{ vm: 'vm-3', limit: 'cluster', above: 0, competing: 0 }])
  })

  test('one that a quota keeps waiting says so, though no condition tells the reason', () => {
    const observed = seen(release, '07-quota', 3)
    expect(reportOf(observed, NOW)).toMatchObject({ outcome: 'running', phase: 'Pending' })
    const lines = timelineLines(observed, pipe().terminal, NOW).join('\n')
    expect(lines).toContain('a resource quota of the namespace refuses the target pod')
    expect(lines).toContain('exceeded quota: mem')
    const { migrations, vmis } = afterStep(release, '07-quota', 3)
    const view = { migrations, vmis, pods: [], kubevirt: kubevirtOf(release) }
    expect(queueOf(view, 'demo', NOW).waiting).toMatchObject([
      { vm: 'vm-1', limit: null, blocked: { type: 'migrationRejectedByResourceQuota' } },
    ])
    expect(reportOf(seen(release, '07-quota', 4), NOW).phase).toBe('PreparingTarget')
  })

  test('one that an eviction made says who wanted it, and where it leads', () => {
    const moving = reportOf(seen(release, '17-evacuation', 3, 'kubevirt-evacuation-<1>'), NOW)
    expect(moving).toMatchObject({ vm: 'vm-1', migration: { origin: 'evacuation' } })
    const moved = reportOf(seen(release, '17-evacuation', 5, 'kubevirt-evacuation-<1>'), NOW)
    expect(moved).toMatchObject({ outcome: 'succeeded', sourceNode: 'node-2' })
    expect(moved.targetNode).toMatch(/^node-[13]$/)
  })

  test('a flag that it is too old for is refused', async () => {
    const stage = await startStage()
    const status = { observedKubeVirtVersion: release }
    const at = { namespace: 'kubevirt', name: 'kubevirt' }
    await patch(stage.admin, KUBEVIRTS, at, { status }, 'merge')
    await patch(stage.admin, KUBEVIRTS, { ...at, subresource: 'status' }, { status }, 'merge')
    const wish = { nodeSelector: { zone: 'a' }, toNode: undefined }
    const { signal } = new AbortController()
    await expect(resolveTarget(stage.admin, wish, signal)).rejects.toMatchObject({
      exit: EXIT.notFound,
      message: `--node-selector needs KubeVirt 1.6, and this cluster runs ${release.slice(1, 4)}`,
    })
  })
})
