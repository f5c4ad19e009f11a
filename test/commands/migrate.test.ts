import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { until } from '../migrate/stage.ts'
import { type Theatre, theatre } from './theatre.ts'

describe('migrate', () => {
  test('tells the way on stderr and the answer on stdout', async () => {
    const stage = await theatre(['vm-1'])
    const process = stage.start('migrate vm-1')
    const { metadata } = await stage.theMigrationOf('vm-1')
    const migration = await stage.migration(metadata.name)
    await stage.advance(migration, 'Scheduling')
    await until(() => process.stderr().includes('starts on node-3') || undefined)
    await stage.advance(migration, 'TargetReady')
    await until(() => process.stderr().includes('is to start the copy') || undefined)
    await stage.advance(migration, 'Succeeded')
    const { code, stdout, stderr } = await process.ended
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^vm-1 moved from node-1 to node-3 in [\d.]+m?s: bytes, rounds and downtime unknown\n$/,
    )
    expect(stderr.split('\n').slice(0, 2)).toEqual([
      'vm-1: Admitted: no policy; slots used: cluster 0 of 5, node-1 0 of 2',
      `vm-1: Created: ${metadata.name}`,
    ])
    expect(stderr.split('\n').at(-2)).toBe('vm-1: Succeeded')
    // No colour and no spinner on a pipe.
    expect(stderr + stdout).not.toContain('\u001b')
  })

  test.each(['json', 'yaml'] as const)('prints one document with -o %s', async (format) => {
    const stage = await theatre(['vm-1'])
    const { ended } = stage.start(`migrate vm-1 -o ${format}`)
    await stage.advance(await stage.theMigrationOf('vm-1'), 'Succeeded')
    const { code, stdout } = await ended
    expect(code).toBe(0)
    expect(format === 'json' ? JSON.parse(stdout) : parse(stdout)).toMatchObject({
      kind: 'MigrationReport',
      vm: 'vm-1',
      outcome: 'succeeded',
    })
  })

  test('moves several, each with its result, and exits as the contract says', async () => {
    const stage = await theatre(['vm-1', 'vm-2'])
    const { ended } = stage.start('migrate vm-1 vm/vm-2 vm-9 -o json')
    const [first, second] = await Promise.all(['vm-1', 'vm-2'].map(stage.theMigrationOf))
    await stage.advance(first!, 'Succeeded')
    await stage.advance(second!, 'PreparingTarget')
    await stage.advance(second!, 'Failed')
    const { code, stdout, stderr } = await ended
    // Not found (9) goes before failed (6).
    expect(code).toBe(9)
    const list = JSON.parse(stdout)
    expect(list.kind).toBe('MigrationList')
    expect(list.items.map((item: { outcome: string }) => item.outcome)).toEqual([
      'succeeded',
      'failed',
      'refused',
    ])
    expect(stderr).toContain('error: 2 of 3 VMs were not moved: vm-2, vm-9\n')
  })

  test('that is interrupted leaves the migration running and says how to cancel it', async () => {
    const stage = await theatre(['vm-1'])
    const { child, ended, stderr } = stage.start('migrate vm-1')
    const migration = await stage.theMigrationOf('vm-1')
    await stage.advance(migration, 'Scheduling')
    await until(() => stderr().includes('Scheduling') || undefined)
    child.kill('SIGINT')
    const { code, stdout, stderr: told } = await ended
    expect(code).toBe(130)
    expect(stdout).toBe('')
    const { name } = migration.metadata
    expect(told).toContain(`error: interrupted; migration "${name}" goes on\n`)
    expect(told).toContain(`"kubectl mig cancel vmim/${name} -n demo" ends it\n`)
    expect((await stage.migration(name)).metadata.deletionTimestamp).toBeUndefined()
  })

  test('that runs out of time exits with 5 and cancels nothing', async () => {
    const stage = await theatre(['vm-1'])
    const { code, stderr } = await stage.mig('migrate vm-1 --timeout 1s')
    expect(code).toBe(5)
    const [migration] = await stage.migrations()
    expect(stderr).toContain(
      `error: timed out after 1s; migration "${migration?.metadata.name}" goes on\n`,
    )
    expect(migration?.metadata.deletionTimestamp).toBeUndefined()
  })

  test('with --no-wait returns once it is created', async () => {
    const stage = await theatre(['vm-1'])
    const { code, stdout } = await stage.mig('migrate vm-1 --no-wait')
    const [migration] = await stage.migrations()
    expect(code).toBe(0)
    expect(stdout).toBe(`vm-1: migration ${migration?.metadata.name} created\n`)
  })

  test('as a dry run prints an object that kubectl would take, and creates nothing', async () => {
    const stage = await theatre(['vm-1'])
    const client = await stage.mig('migrate vm-1 --dry-run=client')
    expect(client.code).toBe(0)
    expect(parse(client.stdout)).toEqual({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceMigration',
      metadata: { generateName: 'kubectl-mig-', namespace: 'demo' },
      spec: { vmiName: 'vm-1' },
    })
    const server = await stage.mig('migrate vm-1 --dry-run=server -o json')
    expect(JSON.parse(server.stdout).metadata.name).toMatch(/^kubectl-mig-/)
    expect(await stage.migrations()).toEqual([])
  })
})

describe('a move that cannot be is refused in one line, and nothing is left behind', () => {
  test.each<[string, (stage: Theatre) => Promise<unknown>, number, RegExp]>([
    ['no such VM', async () => {}, 9, /^error: no VM "vm-1" in namespace "demo"$/],
    [
      'a VM that does not run',
      (stage) => stage.addVm('vm-1', { phase: 'Succeeded' }),
      9,
      /^error: "vm-1" cannot be migrated: it is not running: its status is \w+$/,
    ],
    [
      'a VM that is not migratable',
      (stage) =>
        stage.addVm('vm-1', {
          conditions: [
            {
              type: 'LiveMigratable',
              status: 'False',
              reason: 'HostDeviceNotLiveMigratable',
              message: 'VMI uses a PCI host devices',
            },
          ],
        }),
      9,
      /^error: "vm-1" cannot be migrated: Cannot migrate VMI, Reason: HostDeviceNotLiveMigratable, Message: VMI uses a PCI host devices$/,
    ],
  ])('%s', async (_, prepare, exit, message) => {
    const stage = await theatre([])
    await prepare(stage)
    const { code, stdout, stderr } = await stage.mig('migrate vm-1')
    expect(code).toBe(exit)
    expect(stdout).toBe('')
    expect(stderr.split('\n')[0]).toMatch(message)
    expect(await stage.migrations()).toEqual([])
  })

  test('one already in flight', async () => {
    const stage = await theatre(['vm-1'])
    await stage.mig('migrate vm-1 --no-wait')
    const { code, stderr } = await stage.mig('migrate vm-1')
    expect(code).toBe(9)
    expect(stderr).toMatch(/^error: "vm-1" cannot be migrated: migration "\S+" is in flight/)
    expect(stderr).toContain('hint: "kubectl mig status vm/vm-1 -n demo -w" follows it')
    expect(await stage.migrations()).toHaveLength(1)
  })

  test('no permission', async () => {
    const stage = await theatre(['vm-1'])
    await stage.grant('viewer', 'kubevirt.io:view')
    const { code, stdout, stderr } = await stage.mig('migrate vm-1', 'viewer')
    expect(code).toBe(8)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^error: cannot create .*viewer.* may not create/m)
    expect(stderr).toContain('kubevirt.io:migrate')
    expect(await stage.migrations()).toEqual([])
  })

  test('with -o json the refusal is a document too', async () => {
    const stage = await theatre([])
    const { code, stdout } = await stage.mig('migrate vm-1 -o json')
    expect(code).toBe(9)
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'refused',
      error: { exit: 9, message: 'no VM "vm-1" in namespace "demo"' },
    })
  })
})

describe('cancel', () => {
  test('ends a migration, and whoever follows it exits with 7', async () => {
    const stage = await theatre(['vm-1'])
    const following = stage.start('migrate vm-1')
    const migration = await stage.theMigrationOf('vm-1')
    await stage.advance(migration, 'Scheduling')
    await until(() => following.stderr().includes('Scheduling') || undefined)
    const cancelling = stage.start('cancel vm-1')
    await until(() => cancelling.stderr().includes('Cancelling') || undefined)
    await stage.advance(migration, 'Failed')
    const [cancelled, followed] = await Promise.all([cancelling.ended, following.ended])
    const { name } = migration.metadata
    expect(cancelled).toMatchObject({
      code: 0,
      stdout: `vm-1: migration ${name} cancelled; the VM stays on node-1\n`,
    })
    expect(cancelled.stderr.split('\n')[0]).toBe('vm-1: Cancelling: asked for; it ends at once')
    expect(followed.code).toBe(7)
    expect(followed.stderr).toContain(`error: migration "${name}" of "vm-1" was cancelled\n`)
  })

  test('without anything to cancel exits with 9', async () => {
    const stage = await theatre(['vm-1'])
    const { code, stderr } = await stage.mig('cancel vm-1')
    expect(code).toBe(9)
    expect(stderr).toBe('error: "vm-1" has no migration in flight\n')
  })
})

describe('status and ports', () => {
  test('answer with 0, also that there is nothing', async () => {
    const stage = await theatre(['vm-1'])
    expect(await stage.mig('status')).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'no migration is in flight or ended within the last hour in namespace "demo"; --all shows older ones\n',
    })
    expect((await stage.mig('status vm-1')).stdout).toBe(
      'vm-1 in namespace demo runs on node-1; it has no migration\n',
    )
    expect(await stage.mig('ports vm-1')).toMatchObject({
      code: 0,
      stdout: 'vm-1 has no migration, so it has no ports\n',
    })
    expect(JSON.parse((await stage.mig('status -A -o json')).stdout)).toMatchObject({
      kind: 'MigrationList',
      items: [],
    })
  })

  test('show a migration in flight', async () => {
    const stage = await theatre(['vm-1'])
    await stage.mig('migrate vm-1 --no-wait')
    await stage.advance(await stage.theMigrationOf('vm-1'), 'TargetReady')
    const list = await stage.mig('status -A')
    expect(list.stdout).toMatch(
      /^NAMESPACE {3}VM {5}PHASE .*\ndemo {8}vm-1 {3}TargetReady .*node-1 {3}node-3 {3}virt-handler on node-1/,
    )
    expect((await stage.mig('status vm-1')).stdout).toMatch(/^● \S+ {2}TargetReady/m)
    expect((await stage.mig('ports vm-1')).stdout).toMatch(/^49152 .* 10\.0\.0\.3 {9}41002 /m)
    expect(JSON.parse((await stage.mig('ports vm-1 -o json')).stdout)).toMatchObject({
      kind: 'PortMap',
      state: 'open',
    })
  })

  test('-w -o json prints a document a line until it is interrupted, quietly', async () => {
    const stage = await theatre(['vm-1'])
    const { child, ended, stdout } = stage.start('status -w -o json')
    await stage.mig('migrate vm-1 --no-wait')
    const migration = await stage.theMigrationOf('vm-1')
    await stage.advance(migration, 'Scheduling')
    await until(() => stdout().includes('"phase":"Scheduling"') || undefined)
    child.kill('SIGINT')
    const { code, stdout: text, stderr } = await ended
    expect([code, stderr]).toEqual([130, ''])
    const documents = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(documents.every(({ kind }) => kind === 'MigrationReport')).toBe(true)
  })

  test('of what is no label selector exit with 2', async () => {
    const stage = await theatre([])
    for (const line of ['status -l (', 'status -w -l (']) {
      const { code, stdout, stderr } = await stage.mig(line)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/^error: -l "\(" is no label selector: found .*\nhint: expected KEY=/)
    }
  })

  test('of what does not exist exit with 9', async () => {
    const stage = await theatre([])
    for (const line of ['status vm-9', 'ports vm-9']) {
      const { code, stderr } = await stage.mig(line)
      expect(code).toBe(9)
      expect(stderr).toContain('error: no VM or migration "vm-9" in namespace "demo"\n')
    }
  })
})
