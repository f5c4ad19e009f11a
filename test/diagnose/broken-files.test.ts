import { expect, test } from 'vitest'
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
