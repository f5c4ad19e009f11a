import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { diagnoseFiles } from '../../src/diagnose/from-files.ts'
import { asStream } from '../cases/cases.ts'

const VMI = `kind: VirtualMachineInstance
metadata:
  name: vm-a
  namespace: demo
status:
  phase: Running
  conditions:
  - type: LiveMigratable
    status: 'True'
`
const verdictOf = async (text: string) =>
  (await diagnoseFiles({ paths: ['-'], stdin: asStream(text), generatedAt: 0 })).verdict

test('that nothing is wrong is less sure where a document is known to be broken', async () => {
  expect(await verdictOf(VMI)).toMatchObject({ code: 'MIG1000', confidence: 'certain' })
  const broken = `${VMI}---\nkind: Event\nmetadata:\n  name: 'e`
  expect(await verdictOf(broken)).toMatchObject({ code: 'MIG1000', confidence: 'likely' })
})

test('of two VMs whose migrations failed each gets the logs of its launchers, also of those that are gone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mig-logs-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const failed = (name: string) =>
    `kind: VirtualMachineInstanceMigration\nmetadata: {name: of-${name}, namespace: demo, uid: ${name}}\nspec: {vmiName: ${name}}\nstatus: {phase: Failed}\n`
  await writeFile(join(folder, 'all.yaml'), `${failed('vm-a')}---\n${failed('vm-a-b')}`)
  await writeFile(join(folder, 'virt-launcher-vm-a-x1y2z.log'), 'virtqemud exited, restarting\n')
  const missing = "guest CPU doesn't match specification: missing features: pdcm\n"
  await writeFile(join(folder, 'virt-launcher-vm-a-b-12345.log'), missing)
  const { subjects } = await diagnoseFiles({
    paths: [folder],
    stdin: asStream(''),
    generatedAt: 0,
  })
  expect(Object.fromEntries(subjects.map(({ ref, verdict }) => [ref, verdict.code]))).toEqual({
    'vmim/demo/of-vm-a': 'MIG8016',
    'vmim/demo/of-vm-a-b': 'MIG8001',
  })
})
