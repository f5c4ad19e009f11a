import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Migration, Namespace, Pod, ResourceQuota, Vmi } from '../../src/kubevirt/types.ts'
import { type Archive, isTarget, readArchive } from './archive.ts'
import { play } from './play.ts'
import type { Input, RecordedEvent, State } from './scenario.ts'

const FOLDER = join(import.meta.dirname, '../cases/recorded')
const VM = 'vm-1'
const OTHER_UID = '11111111-1111-1111-1111-111111111111'

/** What led to the state of an archive: `source` and `target` are the tokens of the launchers. */
interface Stage {
  archive: Archive
  vmi: Vmi
  source: string
  target: string
  /** Where the target pod is. */
  node: string
}

/** The archives that one short story leads to, and the story, from a VM that runs on. */
const STORIES: [string, string, (stage: Stage) => Input[]][] = [
  ['201', 'a quota has no room', (on) => [...quotas(on), migrates(on)]],
  ['204', 'no node has room', (on) => [migrates(on), unplaced(on)]],
  ['208', 'the namespace is restricted', (on) => [restricts(on), migrates(on)]],
  ['213', 'nobody prepares the target', targetRuns],
  ['215', 'the target exits', (on) => [...targetRuns(on), exits(on.target, 1)]],
  ['217', 'something else is to evacuate it', (on) => [evicts(on)]],
  ['219', 'the slot is taken', (on) => [...targetRuns(on), state(on, { migrationUid: OTHER_UID })]],
  ['225', 'no node may be used', (on) => [migrates(on), unplaced(on)]],
  ['242', 'the copy runs', copyRuns],
]

describe('the lab comes to what the real control plane had', () => {
  test.concurrent.each(STORIES)(
    '%s: %s',
    async (name, story, inputsOf) => {
      const archive = readArchive(join(FOLDER, `${name}.input.yaml`))
      const [vmi] = archive.of<Vmi>('VirtualMachineInstance')
      const token = (n: number) => `virt-launcher-${vmi!.metadata.name}-<${n}>`
      const node = archive.of<Pod>('Pod').find(isTarget)?.spec.nodeName ?? ''
      const stage = { archive, vmi: vmi!, source: token(1), target: token(2), node }
      const inputs = [...vmRuns(stage), ...inputsOf(stage)]
      const { kubevirt, nodes } = archive
      const step = { step: 1, do: story, at: 0, settledAfter: 5, inputs, state: stateOf(archive) }
      expect(await play({ scenario: name, title: story, kubevirt, nodes, steps: [step] })).toEqual(
        [],
      )
    },
    60_000,
  )
})

function stateOf({ snapshot }: Archive): State {
  const { migrations, vmis, pods, quotas, events } = snapshot
  return {
    migrations: [...migrations.values()],
    vmis: [...vmis.values()],
    pods: [...pods.values()],
    quotas: [...quotas.values()],
    events: events as RecordedEvent[],
  }
}

function input(by: string, op: Input['op'], kind: string, more: Partial<Input>): Input {
  return { t: 0, by, op, kind, ...more }
}

function creates(kind: string, { name, ...metadata }: { name: string }, more: object): Input {
  const body = { kind, metadata: { name, ...metadata }, ...more }
  return input('user', 'create', kind, { name, body })
}

function vmRuns({ archive, vmi, source }: Stage): Input[] {
  const { name, labels = {} } = vmi.metadata
  const own = Object.entries(labels).filter(([key]) => !key.startsWith('kubevirt.io/'))
  const metadata = { name, namespace: 'demo', labels: Object.fromEntries(own) }
  const pod = archive.of<Pod>('Pod').find((one) => isSource(one, vmi))
  const node = pod?.spec.nodeName ?? ''
  const { conditions = [], interfaces, machine, runtimeUser, selinuxContext } = vmi.status ?? {}
  const status = {
    phase: 'Running',
    conditions: [
      { type: 'Ready', status: 'False', reason: 'GuestNotRunning' },
      ...conditions.filter(({ type }) => type.endsWith('LiveMigratable')),
    ],
    interfaces,
    machine,
    runtimeUser,
    selinuxContext,
  }
  return [
    creates('Namespace', { name: 'demo' }, {}),
    creates('VirtualMachineInstance', metadata, { spec: vmi.spec }),
    input('scheduler', 'bind', 'Pod', { name: source, node }),
    runs(source),
    input(`virt-handler@${node}`, 'merge', 'VirtualMachineInstance', { name, body: { status } }),
  ]
}

function isSource(pod: Pod, { metadata }: Vmi): boolean {
  return pod.metadata.labels?.['kubevirt.io/created-by'] === metadata.uid && !isTarget(pod)
}

function migrates({ archive }: Stage): Input {
  const [migration] = archive.of<Migration>('VirtualMachineInstanceMigration')
  return creates(
    'VirtualMachineInstanceMigration',
    { name: migration!.metadata.name },
    { spec: migration!.spec },
  )
}

function targetRuns(on: Stage): Input[] {
  const { target: name, node } = on
  return [migrates(on), input('scheduler', 'bind', 'Pod', { name, node }), runs(name)]
}

function copyRuns(on: Stage): Input[] {
  const { targetNodeAddress, targetDirectMigrationNodePorts } = on.vmi.status?.migrationState ?? {}
  const listens = { targetNodeAddress, targetDirectMigrationNodePorts }
  const begun = { startTimestamp: 'T+1s', mode: 'PreCopy' }
  return [...targetRuns(on), state(on, listens, on.node), state(on, begun)]
}

function kubelet(name: string, status: object): Input {
  return input('kubelet', 'strategic-merge', 'Pod', {
    name,
    subresource: 'status',
    body: { status },
  })
}

function podStatus(phase: string, ready: 'True' | 'False', state: object): object {
  const types = ['Initialized', 'ContainersReady', 'Ready']
  return {
    phase,
    conditions: types.map((type) => ({ type, status: type === 'Initialized' ? 'True' : ready })),
    containerStatuses: [{ name: 'compute', ready: ready === 'True', state }],
  }
}

function runs(name: string): Input {
  return kubelet(name, podStatus('Running', 'True', { running: {} }))
}

function exits(name: string, exitCode: number): Input {
  return kubelet(name, podStatus('Failed', 'False', { terminated: { exitCode } }))
}

/** In the scheduler's own words. */
function unplaced({ archive, target: name }: Stage): Input {
  const pod = archive.of<Pod>('Pod').find(isTarget)
  const body = { status: { conditions: pod?.status?.conditions } }
  return input('scheduler', 'strategic-merge', 'Pod', { name, subresource: 'status', body })
}

function state({ vmi }: Stage, migrationState: object, node = vmi.status?.nodeName): Input {
  const body = { status: { migrationState } }
  return input(`virt-handler@${node}`, 'merge', 'VirtualMachineInstance', { name: VM, body })
}

function quotas({ archive }: Stage): Input[] {
  return archive
    .of<ResourceQuota>('ResourceQuota')
    .map(({ metadata: { name }, spec }) => creates('ResourceQuota', { name }, { spec }))
}

function restricts({ archive }: Stage): Input {
  const { metadata } = archive
    .of<Namespace>('Namespace')
    .find((one) => one.metadata.name === 'demo')!
  const body = { metadata: { labels: metadata.labels } }
  return input('user', 'merge', 'Namespace', { name: 'demo', body })
}

function evicts({ source: name }: Stage): Input {
  const message =
    'admission webhook "virt-launcher-eviction-interceptor.kubevirt.io" denied the request: Eviction triggered evacuation of VMI "demo/vm-1"'
  return input('user', 'evict', 'Pod', { name, refused: { code: 429, message } })
}
