import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { get, list, patch, remove } from '../../src/cluster/objects.ts'
import { KUBEVIRTS, PODS, VMIS } from '../../src/kubevirt/resources.ts'
import type { Pod, Vmi } from '../../src/kubevirt/types.ts'
import { type Lab, startLab } from '../../src/lab/lab.ts'
import { file, run, words } from '../commands/run.ts'
import { hasQemu, NO_QEMU } from './qemu.ts'

/** A lab whose VMs are real QEMUs, as a user sees it. */
const name = 'a lab with guests in real QEMUs'
if (hasQemu) describe(name, { timeout: 60_000 }, labWithQemu)
else test.skip(`${name}: ${NO_QEMU}`)

function labWithQemu(): void {
  let lab: Lab
  let admin: Cluster

  beforeAll(async () => {
    lab = await startLab({
      name: `qemu-${process.pid}`,
      nodes: 2,
      vms: 2,
      guest: 'qemu',
      memory: '32Mi',
      dirtyRate: '16Mi',
      clock: systemClock,
    })
    admin = await lab.connect('admin')
  }, 60_000)
  afterAll(async () => {
    await admin?.close()
    await lab?.close()
  })

  const env = () => ({ KUBECONFIG: file('config', lab.kubeconfig()) })
  const mig = (line: string) => run(words(line), env())
  const vmiNow = (vm: string) => get<Vmi>(admin, VMIS, { namespace: 'default', name: vm })
  const configure = (migrations: object) =>
    patch(
      admin,
      KUBEVIRTS,
      { namespace: 'kubevirt', name: 'kubevirt' },
      { spec: { configuration: { migrations } } },
      'merge',
    )

  /** The QEMUs that run, by whether their guest has said anything yet: one that is to arrive has not. */
  async function processes(talks: boolean): Promise<number[]> {
    const homes = (await readdir(lab.socketFolder)).map((pod) =>
      join(lab.socketFolder, pod, 'guest'),
    )
    const all = await Promise.all(
      homes.map(async (home) => {
        const { size } = await stat(join(home, 'console.log'))
        return size > 0 === talks ? [Number(await readFile(join(home, 'pid'), 'utf8'))] : []
      }),
    )
    return all.flat()
  }

  /** A copy that does not come to its end, with the number of the QEMU that receives it. */
  async function slowly(vm: string): Promise<number> {
    await configure({ bandwidthPerMigration: '1Mi' })
    await mig(`migrate ${vm} --no-wait`)
    await expect
      .poll(async () => (await mig(`status ${vm}`)).stdout, { timeout: 20_000 })
      .toMatch(/Running .*MiB left.* \d+(\.\d+)? MiB\/s, dirty \d+(\.\d+)? MiB\/s/s)
    const [target, ...others] = await processes(false)
    expect(others).toEqual([])
    return target ?? 0
  }

  test.each([
    ['vm-1', 1, 'a VM'],
    ['vm-2', 2, 'a VM with a local disk'],
  ])('%s moves, and its content is verified', async (vm) => {
    const { code, stdout } = await mig(`migrate ${vm} -o json`)
    expect(code).toBe(0)
    const { outcome, copy, sourceNode, targetNode } = JSON.parse(stdout)
    expect({ outcome, verified: copy.verified }).toEqual({ outcome: 'succeeded', verified: true })
    expect(copy.rounds).toBeGreaterThanOrEqual(1)
    expect(copy.downtimeSeconds).toBeGreaterThan(0)
    expect(targetNode).not.toBe(sourceNode)
  })

  // Needs userfaultfd, which root has.
  test.skipIf(process.getuid?.() !== 0)(
    'a VM that takes too long goes over by post-copy',
    async () => {
      await configure({
        allowPostCopy: true,
        completionTimeoutPerGiB: 2,
        bandwidthPerMigration: '6Mi',
      })
      const { code, stdout } = await mig('migrate vm-1 -o json')
      expect(code).toBe(0)
      const { outcome, mode, copy, sourceNode, targetNode } = JSON.parse(stdout)
      expect({ outcome, mode }).toEqual({ outcome: 'succeeded', mode: 'PostCopy' })
      expect(copy.downtimeSeconds).toBeLessThan(1)
      expect(targetNode).not.toBe(sourceNode)
      await configure({ allowPostCopy: null, completionTimeoutPerGiB: null })
    },
  )

  test('QEMU stands still: diagnose proxy says where, a cancel ends it', async () => {
    const target = await slowly('vm-1')
    const { metadata, status } = await vmiNow('vm-1')
    process.kill(target, 'SIGSTOP')
    await expect
      .poll(async () => (await mig('diagnose proxy vm-1')).stdout, { timeout: 40_000 })
      .toContain('does not read what has arrived (label 49152, memory and device state)')
    expect((await mig('cancel vm-1')).code).toBe(0)
    expect(await vmiNow('vm-1')).toMatchObject({
      metadata: { uid: metadata.uid },
      status: { phase: 'Running', nodeName: status?.nodeName },
    })
  })

  test('the target is killed: the VM stays, and diagnose says that QEMU exited', async () => {
    const target = await slowly('vm-1')
    const { metadata, status } = await vmiNow('vm-1')
    process.kill(target, 'SIGKILL')
    await expect
      .poll(async () => (await mig('status vm-1')).stdout, { timeout: 20_000 })
      .toContain("job 'migration out' failed: Unable to write to socket: ")
    const { code, stdout } = await mig('diagnose vm-1 --logs')
    expect(code).toBe(3)
    expect(stdout).toMatch(/^QEMU exited in the middle of the migration .*ended with code 137/)
    expect(await vmiNow('vm-1')).toMatchObject({
      metadata: { uid: metadata.uid },
      status: { phase: 'Running', nodeName: status?.nodeName },
    })
  })

  test('the proxy is cut: the VM stays, and diagnose says that its virt-handler went', async () => {
    await slowly('vm-1')
    const { metadata, status } = await vmiNow('vm-1')
    const { targetNode } = JSON.parse((await mig('status vm-1 -o json')).stdout)
    const at = { namespace: 'kubevirt', labelSelector: 'kubevirt.io=virt-handler' }
    const { items } = await list<Pod>(admin, PODS, at)
    const handler = items.find(({ spec }) => spec.nodeName === targetNode)
    await remove(admin, PODS, { namespace: 'kubevirt', name: handler?.metadata.name ?? '' })
    await expect
      .poll(async () => (await mig('status vm-1')).stdout, { timeout: 20_000 })
      .toMatch(/^vm-1: failed/)
    for (const line of ['diagnose vm-1', 'diagnose vm-1 --logs']) {
      const { code, stdout } = await mig(line)
      expect(code).toBe(3)
      expect(stdout).toMatch(
        new RegExp(
          `^virt-handler on ${targetNode}, the target, was replaced .*: the stream was cut`,
        ),
      )
    }
    expect(await vmiNow('vm-1')).toMatchObject({
      metadata: { uid: metadata.uid },
      status: { phase: 'Running', nodeName: status?.nodeName },
    })
  })

  test('a guest that crashes takes its VMI with it, and the VM is started anew', async () => {
    const before = await Promise.all(['vm-1', 'vm-2'].map(vmiNow))
    const [some] = await processes(true)
    process.kill(some ?? 0, 'SIGKILL')
    await expect
      .poll(
        async () => {
          const now = await Promise.all(['vm-1', 'vm-2'].map((vm) => vmiNow(vm).catch(() => null)))
          const anew = now.filter((vmi, i) => vmi?.metadata.uid !== before[i]?.metadata.uid)
          return anew.map((vmi) => vmi?.status?.phase)
        },
        { timeout: 30_000 },
      )
      .toEqual(['Running'])
  })

  test('nothing runs any more when the lab has ended', async () => {
    await expect.poll(() => processes(true), { timeout: 20_000 }).toHaveLength(2)
    const all = await processes(true)
    await lab.close()
    for (const pid of all) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })
}
