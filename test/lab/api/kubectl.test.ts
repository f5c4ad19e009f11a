import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findKubectl, type Kubectl, useKubectl } from './kubectl.ts'
import { type Stage, startStage } from './kubectl-stage.ts'

/**
 * What kubectl printed on a real cluster (a copy of the recording), against the lab's API: the same commands in the same
 * order. Two are below, as what they print is not the same each time or with each kubectl.
 */
const RECORDED = parseRecording(
  readFileSync(new URL('./kubectl-answers.txt', import.meta.url), 'utf8'),
)

interface Recorded {
  user: string
  command: string
  stdin: string
  answer: string
  exit: number
}

const kubectl = findKubectl()

describe.skipIf(!kubectl)('kubectl gets the answers that a real cluster gave', () => {
  let stage: Stage
  let client: Kubectl

  beforeAll(async () => {
    stage = await startStage()
    const users = ['admin', 'viewer', 'editor']
    const texts = users.map((user) => [user, stage.server.kubeconfig(user, { only: true })])
    client = useKubectl(kubectl!, Object.fromEntries(texts), 'admin')
  })
  afterAll(async () => {
    client.close()
    await stage.close()
  })

  test.each(RECORDED)('$user: $command', async ({ user, command, stdin, answer, exit }) => {
    const { stdout, stderr, code } = await client.shell(command, { stdin, as: user })
    expect(normal(stdout + stderr)).toBe(normal(answer))
    expect(code).toBe(exit)
  })

  test('admin: kubectl version', async () => {
    const { stdout, code } = await client.shell('kubectl version')
    expect(stdout).toMatch(
      /^Client Version: .*\nKustomize Version: .*\nServer Version: v1\.36\.3\n$/,
    )
    expect(code).toBe(0)
  })

  test('admin: kubectl drain of a node with a VM that must move first', async () => {
    const { stdout, stderr, code } = await client.shell(DRAIN)
    // Which pod comes first is kubectl's choice.
    const lines = (text: string) => normal(text).split('\n').sort()
    expect(lines(stdout + stderr)).toEqual(lines(DRAINED))
    expect(code).toBe(1)
    await client.shell('kubectl uncordon node-2')
  }, 30_000)
})

const DRAIN =
  'kubectl drain node-2 --ignore-daemonsets --delete-emptydir-data --timeout=12s --pod-selector=kubevirt.io=virt-launcher'
const DRAINED = `\
node/node-2 cordoned
evicting pod demo/virt-launcher-vm-3-xxxxx
evicting pod demo/virt-launcher-vm-1-xxxxx
pod/virt-launcher-vm-1-xxxxx evicted
evicting pod demo/virt-launcher-vm-3-xxxxx
evicting pod demo/virt-launcher-vm-3-xxxxx
evicting pod demo/virt-launcher-vm-3-xxxxx
error when evicting pods/"virt-launcher-vm-3-xxxxx" -n "demo" (will retry after 5s): admission webhook "virt-launcher-eviction-interceptor.kubevirt.io" denied the request: Eviction triggered evacuation of VMI "demo/vm-3"
error when evicting pods/"virt-launcher-vm-3-xxxxx" -n "demo" (will retry after 5s): admission webhook "virt-launcher-eviction-interceptor.kubevirt.io" denied the request: Evacuation in progress: Eviction triggered evacuation of VMI "demo/vm-3"
error when evicting pods/"virt-launcher-vm-3-xxxxx" -n "demo" (will retry after 5s): admission webhook "virt-launcher-eviction-interceptor.kubevirt.io" denied the request: Evacuation in progress: Eviction triggered evacuation of VMI "demo/vm-3"
There are pending pods in node "node-2" when an error occurred: error when evicting pods/"virt-launcher-vm-3-xxxxx" -n "demo": global timeout reached: 12s
pod/virt-launcher-vm-3-xxxxx
error: unable to drain node "node-2" due to error: error when evicting pods/"virt-launcher-vm-3-xxxxx" -n "demo": global timeout reached: 12s, continuing command...
There are pending nodes to be drained:
 node-2
error when evicting pods/"virt-launcher-vm-3-xxxxx" -n "demo": global timeout reached: 12s
`

/**
 * Times, uids, generated names and revisions are nobody's business; how wide a column is follows from them. Newer kubectls
 * also say from where they deleted.
 */
function normal(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replaceAll(/(virt-launcher-vm-\d)-[a-z0-9]{5}/g, '$1-xxxxx')
    .replaceAll(/(Resource Version:\s+)\d+/g, '$1N')
    .replaceAll(/\b\d+(s|m\d+s|m)\b/g, 'AGE')
    .replaceAll(/( deleted) from \S+ namespace$/gm, '$1')
    .replaceAll(/\s+$/gm, '')
    .replaceAll(/ {2,}/g, '  ')
    .replaceAll(/-{2,}/g, '--')
    .trim()
}

function parseRecording(text: string): Recorded[] {
  const recorded: Recorded[] = []
  let user = 'admin'
  for (const block of text.split(/\n(?=\$ )/)) {
    const lines = block.split('\n')
    const command = lines.shift()!.slice(2)
    const stdin = lines.filter((line) => line.startsWith('< ')).map((line) => line.slice(2))
    const end = lines.findIndex((line) => /^\[exit \d+\]$/.test(line))
    const answer = lines.slice(0, end).filter((line) => !line.startsWith('< '))
    const exit = Number(/\d+/.exec(lines[end]!)![0])
    recorded.push({ user, command, stdin: stdin.join('\n'), answer: answer.join('\n'), exit })
    user = /^# as (\w+)/m.exec(lines.slice(end).join('\n'))?.[1] ?? user
  }
  return recorded
}
