import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../src/cluster/api-error.ts'
import type { ApiRequest, Cluster } from '../../../src/cluster/cluster.ts'
import { create } from '../../../src/cluster/objects.ts'
import { diagnoseLive } from '../../../src/diagnose/live.ts'
import { exitCodeOf } from '../../../src/diagnose/outcome.ts'
import { EXIT } from '../../../src/errors.ts'
import { gatherVm } from '../../../src/evidence/cluster/one-vm.ts'
import { parseReference } from '../../../src/kubevirt/reference.ts'
import { MIGRATIONS } from '../../../src/kubevirt/resources.ts'
import type { Migration } from '../../../src/kubevirt/types.ts'
import { type Stage, startStage } from '../../migrate/stage.ts'
import { recorded } from './recorded.ts'

const HOUR = 3_600_000
const { signal } = new AbortController()
const reference = (text: string) => parseReference(text, ['vm', 'vmi', 'vmim'])
const gather = (cluster: Cluster, text: string, now = Date.now()) =>
  gatherVm(cluster, reference(text), { namespace: 'demo', now, signal })
const diagnose = (cluster: Cluster, text: string) =>
  diagnoseLive(cluster, reference(text), { namespace: 'demo', now: Date.now(), signal })

function migrate({ admin }: Stage, vm: string, name = `${vm}-move`): Promise<Migration> {
  const migration = {
    apiVersion: 'kubevirt.io/v1',
    kind: MIGRATIONS.kind,
    metadata: { name, namespace: 'demo' },
    spec: { vmiName: vm },
  }
  return create<Migration>(admin, MIGRATIONS, migration, { namespace: 'demo' })
}

describe('what is asked of the API', () => {
  test('at most 40 requests, Secrets never, nothing watched, the KubeVirt CR listed', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    for (let i = 2; i < 8; i++) {
      await stage.addVm(`vm-${i}`)
      await stage.advance(await migrate(stage, `vm-${i}`), 'Running')
    }
    const migration = await migrate(stage, 'vm-1')
    await stage.advance(migration, 'Pending')
    const { cluster, requests } = recorded(stage.admin)
    const { evidence } = await gather(cluster, 'vm-1')

    expect(requests.length).toBeLessThanOrEqual(40)
    expect(requests.filter(({ path }) => /secrets/.test(path))).toEqual([])
    expect(requests.filter(({ query }) => query?.['watch'])).toEqual([])
    expect(requests.filter(({ path }) => path === '/apis/kubevirt.io/v1/kubevirts')).toHaveLength(1)
    expect(requests.filter(({ method = 'GET' }) => method !== 'GET').map((r) => r.path)).toEqual(
      Array(2).fill('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'),
    )
    expect(evidence.objects.list(MIGRATIONS.kind)).toHaveLength(7)
    expect(evidence.gaps).toEqual([])
  })

  test('a waiting migration is held by those of others, which are named', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    for (const vm of ['vm-2', 'vm-3']) {
      await stage.addVm(vm)
      await stage.advance(await migrate(stage, vm), 'Running')
    }
    await stage.advance(await migrate(stage, 'vm-1'), 'Pending')
    const { verdict, subjects } = await diagnose(stage.admin, 'vm-1')
    expect(verdict).toMatchObject({
      code: 'MIG2002',
      title: expect.stringContaining('2 of 2 (parallelOutboundMigrationsPerNode)'),
    })
    expect(subjects.map(({ ref }) => ref)).toEqual(['vmim/demo/vm-1-move'])
  })

  test('a server that gives no answer is asked once, and what it did is told', async () => {
    const requests: ApiRequest[] = []
    const silent = (request: ApiRequest) => {
      requests.push(request)
      return Promise.reject(new ApiError(EXIT.error, 'no answer within 2s', { code: 'TIMEOUT' }))
    }
    const cluster = { namespace: 'demo', request: silent, stream: silent } as unknown as Cluster
    await expect(gather(cluster, 'vm-1')).rejects.toThrow(/^no answer within 2s$/)
    expect(requests.map(({ path }) => path.split('/').at(-1)).sort()).toEqual([
      'kubevirts',
      'selfsubjectrulesreviews',
    ])
  })

  test('a server that is silent later on leaves gaps', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const request = (asked: ApiRequest) =>
      asked.path === '/api/v1/nodes'
        ? Promise.reject(new ApiError(EXIT.error, 'no answer within 2s', { code: 'TIMEOUT' }))
        : stage.admin.request(asked)
    const cluster = { ...stage.admin, request } as Cluster
    const { evidence } = await gather(cluster, 'vm-1')
    expect(evidence.gaps).toMatchObject([{ what: 'Node', detail: 'no answer within 2s' }])
  })
})

describe('what it is about', () => {
  test('an older migration that is named is told, not the one that came after it', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    await stage.advance(await migrate(stage, 'vm-1', 'first'), 'Failed')
    await stage.advance(await migrate(stage, 'vm-1', 'second'), 'Running')
    const { subjects } = await diagnose(stage.admin, 'vmim/first')
    expect(subjects.map(({ ref, stage }) => [ref, stage])).toEqual([['vmim/demo/first', 'Failed']])
    const newest = await diagnose(stage.admin, 'vm-1')
    expect(newest.subjects.map(({ ref }) => ref)).toEqual(['vmim/demo/second'])
  })

  test('what there is not is exit 9', async () => {
    const { admin } = await startStage()
    await expect(gather(admin, 'vm-9')).rejects.toMatchObject({
      exit: 9,
      message: 'no VM or migration "vm-9" in namespace "demo"',
    })
    await expect(gather(admin, 'vmim/vm-9')).rejects.toMatchObject({ exit: 9 })
  })

  test('of a migration that began more than an hour ago, missing events are a gap', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    await stage.advance(await migrate(stage, 'vm-1'), 'Failed')
    const { evidence } = await gather(stage.admin, 'vm-1', Date.now() + HOUR + 60_000)
    expect(evidence.gaps).toMatchObject([{ why: 'expired' }])
  })
})

describe('as a user who may only look', () => {
  test('what is forbidden is listed, without a request that would be refused', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    await stage.grant('viewer', 'view')
    await stage.grant('viewer', 'kubevirt.io:view')
    await stage.advance(await migrate(stage, 'vm-1'), 'Pending')
    const { cluster, requests } = recorded(await stage.as('viewer'))
    const report = await diagnose(cluster, 'vm-1')
    const forbidden = report.coverage.gaps.filter(({ why }) => why === 'forbidden')
    expect(forbidden.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['Node', 'MigrationPolicy', `${MIGRATIONS.kind} of other namespaces`]),
    )
    expect(requests.filter(({ path }) => path === '/api/v1/nodes')).toEqual([])
    const slots = report.subjects[0]!.questions.find(({ question }) => /concurrency/.test(question))
    expect(slots).toMatchObject({ status: 'unknown', answer: expect.stringMatching(/^at least 0/) })
  })

  test('whose own migrations are hidden gets no pass, and exit 8', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    await stage.admin.request({
      method: 'POST',
      path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      body: {
        metadata: { name: 'vmis-only' },
        rules: [
          { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances'], verbs: ['get'] },
        ],
      },
    })
    await stage.grant('viewer', 'vmis-only')
    const report = await diagnose(await stage.as('viewer'), 'vm-1')
    expect(report.verdict.code).toBe('MIG0008')
    expect(exitCodeOf(report, { failOn: 'fail' })).toBe(8)
  })

  test('who may read nothing of it is refused', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    await expect(gather(await stage.as('viewer'), 'vm-1')).rejects.toMatchObject({ exit: 8 })
  })
})
