import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { patch } from '../../src/cluster/objects.ts'
import { KUBEVIRTS } from '../../src/kubevirt/resources.ts'
import { runningLab } from '../lab/running.ts'
import { until } from '../migrate/stage.ts'
import { file, run, start, words } from './run.ts'

const { lab } = await runningLab({
  name: 'commands',
  nodes: 3,
  vms: 3,
  guest: 'synthetic',
  memory: '16Mi',
})

const env = () => ({ KUBECONFIG: file('config', lab.kubeconfig()) })
const mig = (line: string) => run(words(line), env())

test('a VM moves over real proxies, its content is verified, and all is told', async () => {
  const { code, stdout, stderr } = await mig('migrate vm-1 -o json')
  expect(stderr).toContain('vm-1: Running')
  expect(code).toBe(0)
  const report = JSON.parse(stdout)
  expect(report).toMatchObject({
    outcome: 'succeeded',
    copy: { verified: true },
    failure: null,
    blockers: [],
  })
  expect(report.targetNode).not.toBe(report.sourceNode)
  expect(report.copy.rounds).toBeGreaterThanOrEqual(1)
  expect(report.copy.transferredBytes).toBeGreaterThanOrEqual(16 * 1024 ** 2)
  expect(report.copy.downtimeSeconds).toBeGreaterThan(0)
  expect(report.timeline.map(({ phase }: { phase: string }) => phase)).toEqual([
    '',
    'Pending',
    'Scheduling',
    'Scheduled',
    'PreparingTarget',
    'TargetReady',
    'Running',
    'Succeeded',
  ])
  const status = await mig('status vm-1')
  expect(status.stdout).toMatch(/^vm-1: moved .*content verified$/ms)
})

test('while it copies there is progress, ports are open, and a cancel ends it', async () => {
  await limitBandwidth('512Ki')
  const moving = start(words('migrate vm-2'), env())
  await until(() => /Running: \d+%, ETA .* left/.test(moving.stderr()) || undefined)
  const ports = JSON.parse((await mig('ports vm-2 -o json')).stdout)
  expect(ports.state).toBe('open')
  expect(ports.ports.map(({ label }: { label: number }) => label)).toEqual([0, 49152])
  const { stdout: status } = await mig('status')
  expect(status).toMatch(/^vm-2 +Running .* ETA .* left/m)

  const cancelled = await mig('cancel vm-2')
  expect(cancelled.stderr).toContain(
    'vm-2: Cancelling: asked for; the source node stops the copy\n',
  )
  expect(cancelled).toMatchObject({ code: 0, stdout: expect.stringContaining('cancelled') })
  expect(await moving.ended).toMatchObject({ code: 7, stdout: '' })
})

const SCRIPT = fileURLToPath(new URL('../../bin/dev.js', import.meta.url))
/** util-linux's tool that gives a command a terminal of its own. */
const TERMINAL_TOOL = 'script'
const hasTerminalTool =
  process.platform === 'linux' &&
  /util-linux/.test(spawnSync(TERMINAL_TOOL, ['--version']).stdout?.toString() ?? '')

test.skipIf(!hasTerminalTool)(
  'on a terminal it is a check list, and the terminal is given back',
  async () => {
    await limitBandwidth('8Mi')
    const command = `stty cols 100 rows 30; exec ${process.execPath} ${SCRIPT} migrate vm-3`
    const text = await new Promise<string>((resolve) => {
      const options = {
        env: { PATH: process.env['PATH'], HOME: '/nonexistent', TERM: 'xterm', ...env() },
      }
      execFile(TERMINAL_TOOL, ['-qec', command, '/dev/null'], options, (err, stdout) =>
        resolve(err ? `${err}` : stdout),
      )
    })
    expect(text).toContain('\u001b[32m✓\u001b[39m Scheduled')
    expect(text).toMatch(/━+.* \d+%/)
    expect(text).toMatch(/vm-3 moved from \S+ to \S+ in/)
    expect(text.lastIndexOf('\u001b[?25h')).toBeGreaterThan(text.lastIndexOf('\u001b[?25l'))
  },
)

async function limitBandwidth(bandwidthPerMigration: string): Promise<void> {
  const admin = await lab.connect('admin')
  const body = { spec: { configuration: { migrations: { bandwidthPerMigration } } } }
  await patch(admin, KUBEVIRTS, { namespace: 'kubevirt', name: 'kubevirt' }, body, 'merge')
  await admin.close()
}
