import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Pod } from '../../../src/kubevirt/types.ts'
import { claimFiles } from '../../../src/lab/node/claim-files.ts'
import { lookFor, markMigrated } from '../../../src/lab/node/marker.ts'
import { recoveryJob } from '../../../src/rules/recovery-job.ts'

const metadata = { name: 'pod', namespace: 'demo' }
const launcher = (claimName: string): Pod => ({
  metadata,
  spec: {
    containers: [{ name: 'compute' }],
    volumes: [{ name: 'vm-state', persistentVolumeClaim: { claimName } }],
  },
})
/** The pod of the Job that looks into the claim. */
const recovery = (claimName: string): Pod => {
  const job = recoveryJob({ metadata: { name: 'm', namespace: 'demo' }, spec: {} }, claimName, 'i')
  return { metadata, spec: job.spec.template.spec }
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'mig-test-'))
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  return made
}

test('a launcher whose guest has gone over marks its claim, and the Job finds the mark in that one only', async () => {
  const files = claimFiles(await folder())
  expect(await lookFor(recovery('source'), files)).toBe(42)
  await markMigrated(launcher('source'), files, () => {})
  expect(await lookFor(recovery('source'), files)).toBe(0)
  expect(await lookFor(recovery('target'), files)).toBe(42)
})

test('a launcher without such a claim marks nothing, and other pods look for nothing', async () => {
  const files = claimFiles(await folder())
  const plain: Pod = { metadata, spec: { containers: [{ name: 'compute' }] } }
  await markMigrated(plain, files, () => {})
  expect(await lookFor(plain, files)).toBeUndefined()
})

test('a mark that cannot be written is told in the launcher’s log', async () => {
  const made = await folder()
  await writeFile(join(made, 'claims'), 'no folder')
  const said: string[] = []
  await markMigrated(launcher('source'), claimFiles(made), ({ msg }) => said.push(msg))
  expect(said).toEqual([expect.stringMatching(/^failed to create marker file: /)])
})
