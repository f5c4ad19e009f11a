import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CORE, KUBEVIRT, pod, startTestApi, vmi } from './harness.ts'
import { findKubectl, type Kubectl, otherKubectls, useKubectl } from './kubectl.ts'

const kubectl = findKubectl()
const releases = kubectl ? otherKubectls(kubectl) : []

const MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: "1"}\n'
const MIGRATION = `
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstanceMigration
metadata: {name: m}
spec: {vmiName: vm-1}
`

/** Each release asks in its own way: discovery, OpenAPI, protobuf, patches. */
describe.each(releases)('kubectl $release', ({ file }) => {
  async function start() {
    const api = await startTestApi()
    const users = ['admin', 'viewer']
    const texts = users.map((user) => [user, api.server.kubeconfig(user, { only: true })])
    const client = useKubectl(file, Object.fromEntries(texts), 'admin')
    onTestFinished(client.close)
    return { ...api, client }
  }

  /** What a command that must succeed prints. */
  async function out(client: Kubectl, line: string, stdin = ''): Promise<string> {
    const { stdout, stderr, code } = await client.shell(line, { stdin })
    expect(`${stderr}${code}`).toBe('0')
    return stdout
  }

  test('creates what it builds itself, and applies in both ways', async () => {
    const { client } = await start()
    await out(client, 'kubectl create namespace demo')
    await out(client, 'kubectl -n demo create quota mem --hard=requests.memory=1Gi,pods=5')
    expect(await out(client, "kubectl -n demo get quota mem -o jsonpath='{.spec.hard}'")).toBe(
      '{"pods":"5","requests.memory":"1Gi"}',
    )
    await out(client, 'kubectl -n demo create secret generic s --from-literal=a=b')
    expect(await out(client, "kubectl -n demo get secret s -o jsonpath='{.data.a}'")).toBe('Yg==')
    await out(client, 'kubectl -n demo create rolebinding v --clusterrole=view --user=viewer')
    expect(await out(client, 'kubectl -n demo auth can-i list pods --as=viewer')).toBe('yes\n')
    await out(client, 'kubectl delete namespace demo')

    expect(await out(client, 'kubectl apply -f -', MAP)).toBe('configmap/a created\n')
    expect(await out(client, 'kubectl apply -f -', MAP)).toBe('configmap/a unchanged\n')
    const changed = MAP.replace('"1"', '"2"')
    expect(await out(client, 'kubectl apply -f -', changed)).toBe('configmap/a configured\n')
    const taken = await client.shell('kubectl apply --server-side --field-manager=other -f -', {
      stdin: MAP,
    })
    expect(taken.stderr).toContain('conflict with "kubectl-client-side-apply" using v1: .data.x')
    expect(await out(client, 'kubectl apply --server-side -f -', changed)).toBe(
      'configmap/a serverside-applied\n',
    )
    expect(await out(client, 'kubectl delete configmap a')).toBe('configmap "a" deleted\n')
  })

  test('watches, waits, patches, and deletes what finalizers hold', async () => {
    const { client, send } = await start()
    await send(`${KUBEVIRT}/virtualmachineinstances`, { body: vmi('vm-1') })
    await out(client, 'kubectl create -f -', MIGRATION)
    const watching = spawn(file, ['get', 'vmim', '-w', '--no-headers'], { env: client.env })
    onTestFinished(() => void watching.kill())
    const lines = createInterface({ input: watching.stdout })[Symbol.asyncIterator]()
    const words = async () => (await lines.next()).value?.split(/\s+/)
    expect(await words()).toEqual(['m', 'vm-1'])
    const phase = (value: string) =>
      send(`${KUBEVIRT}/virtualmachineinstancemigrations/m/status`, {
        method: 'PATCH',
        contentType: 'application/merge-patch+json',
        body: { status: { phase: value } },
      })
    await phase('Pending')
    expect(await words()).toEqual(['m', 'Pending', 'vm-1'])
    const waited = client.shell(
      "kubectl wait vmim/m --for=jsonpath='{.status.phase}'=Failed --timeout=10s",
    )
    await phase('Failed')
    expect((await waited).stdout).toBe(
      'virtualmachineinstancemigration.kubevirt.io/m condition met\n',
    )
    const patch = `kubectl patch vmim m --type json -p '[{"op":"remove","path":"/metadata/finalizers"}]'`
    const deleted = client.shell('kubectl delete vmim m')
    await expect
      .poll(
        async () =>
          (await send(`${KUBEVIRT}/virtualmachineinstancemigrations/m`)).body.metadata
            .deletionTimestamp,
      )
      .toBeTruthy()
    await out(client, patch)
    expect((await deleted).code).toBe(0)
  })

  test('drains a node and gives it back', async () => {
    const { client, send } = await start()
    await send('/api/v1/nodes', { body: { metadata: { name: 'node-1' } } })
    await send(`${CORE}/pods`, {
      body: pod('plain', { nodeName: 'node-1', terminationGracePeriodSeconds: 0 }),
    })
    const drained = await out(client, 'kubectl drain node-1 --force 2>/dev/null')
    expect(drained).toContain('pod/plain evicted\nnode/node-1 drained\n')
    expect(await out(client, 'kubectl get node node-1 --no-headers')).toContain(
      'SchedulingDisabled',
    )
    expect(await out(client, 'kubectl uncordon node-1')).toBe('node/node-1 uncordoned\n')
  })
})
