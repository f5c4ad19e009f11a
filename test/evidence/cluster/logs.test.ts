import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../src/cluster/api-error.ts'
import type { ApiRequest, Cluster } from '../../../src/cluster/cluster.ts'
import { lineKinds } from '../../../src/diagnose/texts.ts'
import { EXIT } from '../../../src/errors.ts'
import { logSourcesOf, logsSince } from '../../../src/evidence/cluster/log-sources.ts'
import { readLogs } from '../../../src/evidence/cluster/logs.ts'
import { createPermissions } from '../../../src/evidence/cluster/permissions.ts'
import { createReader } from '../../../src/evidence/cluster/reader.ts'
import type { Found } from '../../../src/evidence/cluster/subject.ts'
import { handedOff, migration, vmi } from '../../diagnose/world.ts'

const BORN = Date.parse('2026-01-01T10:00:00Z')
const { signal } = new AbortController()
const FAILED =
  '{"component":"virt-handler","level":"error","msg":"remote error: tls: expired certificate password=hunter2"}'

/** Answers logs by pod; what it has none of is refused. */
function scripted(logs: Record<string, string[] | number>) {
  const requests: ApiRequest[] = []
  const cluster = {
    async stream(request: ApiRequest) {
      requests.push(request)
      const pod = /pods\/([^/]+)\/log$/.exec(request.path)?.[1] ?? ''
      const answer = logs[request.query?.['previous'] ? `${pod} previous` : pod] ?? []
      if (typeof answer === 'number')
        throw new ApiError(EXIT.refused, `refused with ${answer}`, { status: answer })
      return (async function* () {
        yield* answer
      })()
    },
  } as unknown as Cluster
  return { cluster, requests }
}

function pod(name: string, app: string, node: string, labels = {}, restartCount = 0) {
  const container = app === 'virt-launcher' ? 'compute' : app
  return {
    kind: 'Pod',
    metadata: {
      name,
      namespace: app === 'virt-launcher' ? 'demo' : 'kubevirt',
      labels: { 'kubevirt.io': app, ...labels },
    },
    spec: { nodeName: node, containers: [] },
    status: { containerStatuses: [{ name: container, restartCount }] },
  }
}

const own = { 'kubevirt.io/created-by': 'v1' }
const PODS = [
  pod('controller-1', 'virt-controller', 'node-c'),
  pod('handler-a', 'virt-handler', 'node-a', {}, 1),
  pod('handler-b', 'virt-handler', 'node-b'),
  pod('handler-c', 'virt-handler', 'node-c'),
  pod('launcher-a', 'virt-launcher', 'node-a', own),
  pod('launcher-b', 'virt-launcher', 'node-b', { ...own, 'kubevirt.io/migrationJobUID': 'u1' }),
  pod('launcher-old', 'virt-launcher', 'node-c', { ...own, 'kubevirt.io/migrationJobUID': 'u0' }),
  pod('other', 'virt-launcher', 'node-a', { 'kubevirt.io/created-by': 'v2' }),
]
const found = {
  namespace: 'demo',
  name: 'vm-a',
  vmi: vmi({}, handedOff()),
  migrations: [migration('Running')],
} as unknown as Found

async function read(logs: Record<string, string[] | number>, limitBytes?: number) {
  const { cluster, requests } = scripted(logs)
  const reader = createReader(cluster, createPermissions(cluster, signal), signal)
  for (const one of PODS) reader.objects.add(one as never, '')
  const since = logsSince(found, BORN + 120_000)
  const options = { lineKinds, since, signal, ...(limitBytes !== undefined && { limitBytes }) }
  await readLogs(cluster, reader, logSourcesOf(reader, found), options)
  return { reader, requests }
}

describe('logs from a cluster', () => {
  test('virt-controller, both handlers and both launchers, from a minute before it began', async () => {
    const { requests } = await read({})
    const asked = requests.map(({ path, query }) => [
      path.split('/').at(-2),
      query?.['container'],
      query?.['previous'] ?? false,
    ])
    expect(asked).toEqual([
      ['controller-1', 'virt-controller', false],
      ['handler-a', 'virt-handler', false],
      ['handler-a', 'virt-handler', true],
      ['handler-b', 'virt-handler', false],
      ['launcher-a', 'compute', false],
      ['launcher-b', 'compute', false],
    ])
    expect(new Set(requests.map(({ query }) => query?.['sinceTime']))).toEqual(
      new Set(['2026-01-01T09:59:00.000Z']),
    )
  })

  test('keeps only the lines that speak of migration, without credentials', async () => {
    const { reader } = await read({
      'launcher-a': ['2026-01-01T10:00:30Z nothing of interest', `2026-01-01T10:01:00Z ${FAILED}`],
    })
    expect(reader.logs).toMatchObject({ lines: 2, files: 6 })
    expect(reader.logs.hits).toMatchObject([
      {
        text: 'remote error: tls: expired certificate password=[removed]',
        time: BORN + 60_000,
        origin: { pod: 'launcher-a', container: 'compute' },
        line: 2,
      },
    ])
    expect(JSON.stringify(reader.logs.hits)).not.toContain('hunter2')
  })

  test('what is refused, gone or cut is a gap; an earlier life that is gone is none', async () => {
    const { reader } = await read(
      {
        'handler-b': 403,
        'handler-a previous': 400,
        'launcher-b': 500,
        'launcher-a': ['x'.repeat(99)],
      },
      100,
    )
    expect(reader.gaps.map(({ what, why }) => [what, why])).toEqual([
      ['log of handler-b', 'forbidden'],
      ['log of launcher-b', 'unreadable'],
      ['log of launcher-a', 'truncated'],
    ])
  })
})
