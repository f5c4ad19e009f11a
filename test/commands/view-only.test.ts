import { expect, test } from 'vitest'
import type { Ended } from './run.ts'
import { theatre } from './theatre.ts'

const MIGRATE =
  'ClusterRole kubevirt.io:migrate grants it since KubeVirt 1.5, kubevirt.io:edit before'
const VIEW = 'ClusterRole kubevirt.io:view grants it: kubectl create clusterrolebinding'

/** What is refused of a user who may only look, and only in one namespace; what is not permitted, and what helps. */
const REFUSED: [line: string, what: string, help: string][] = [
  ['migrate vm-1', 'create virtualmachineinstancemigrations', MIGRATE],
  ['migrate vm-1 --node-selector a=b', 'create virtualmachineinstancemigrations', MIGRATE],
  ['migrate -l tier=web --resume', 'create virtualmachineinstancemigrations', MIGRATE],
  ['migrate vm-1 vm-3', 'create virtualmachineinstancemigrations', MIGRATE],
  [
    'migrate vm-1 --to-node node-2',
    'get nodes',
    '--node-selector kubernetes.io/hostname=node-2 needs no permission to read nodes',
  ],
  ['cancel vm-2', 'delete virtualmachineinstancemigrations', MIGRATE],
  ['cancel vm-2 --undo-eviction', 'virtualmachineinstances/evacuate', 'hint: '],
  ['status -A', 'list virtualmachineinstancemigrations', VIEW],
  ['queue -w', 'list virtualmachineinstancemigrations', VIEW],
  ['policy explain vm-1', 'list migrationpolicies', VIEW],
]

test('whoever may only look is refused in one line that says what would help', async () => {
  const stage = await theatre(['vm-1', 'vm-2'])
  await stage.grant('viewer', 'kubevirt.io:view')
  const labels = { tier: 'web' }
  await stage.addVm('vm-3', { labels })
  await stage.addVm('vm-4', { labels })
  await stage.mig('migrate vm-2 --no-wait')
  await stage.patchVmi('vm-2', { status: { evacuationNodeName: 'node-1' } })
  const before = await stage.migrations()
  for (const [line, what, help] of REFUSED)
    expect(told(await stage.mig(line, 'viewer')), line).toEqual({
      code: 8,
      stdout: '',
      error: expect.stringMatching(/^error: cannot .*: user "viewer" may not .*/),
      what: expect.stringContaining(what),
      hint: expect.stringContaining(help),
    })
  expect(await stage.migrations()).toEqual(before)
  for (const line of ['status vm-2', 'ports vm-2'])
    expect((await stage.mig(line, 'viewer')).code, line).toBe(0)
}, 120_000)

/** Without the lines before the error, which say how far it came. */
function told({ code, stdout, stderr }: Ended) {
  expect(stderr.match(/ may not /g)).toHaveLength(1)
  const lines = stderr.trimEnd().split('\n')
  const error = lines.find((line) => line.startsWith('error: ')) ?? ''
  return { code, stdout, error, what: error, hint: lines.at(-1) }
}
