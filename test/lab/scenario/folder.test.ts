import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { scenarioFile, scenarioFolder, scenarioNames } from '../../../src/lab/scenario/folder.ts'

const OURS = fileURLToPath(new URL('../../../scenarios', import.meta.url))

/** As npm installs it, or as an executable has it beside itself. */
function installed(): string {
  const root = mkdtempSync(join(tmpdir(), 'mig-test-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'scenarios'))
  writeFileSync(join(root, 'scenarios', 'lived-in.yaml'), '')
  return root
}

test('the folder is found from the source, from a bundle and from an executable', () => {
  expect(scenarioFolder()).toBe(OURS)
  const root = installed()
  const chunk = pathToFileURL(join(root, 'dist', 'chunks', 'folder-1.js')).href
  expect(scenarioFolder(chunk)).toBe(join(root, 'scenarios'))
  expect(scenarioFolder('node:sea', join(root, 'mig'))).toBe(join(root, 'scenarios'))
  expect(() => scenarioFolder('file:///nowhere/x.js')).toThrow(
    'this copy of kubectl-mig is incomplete',
  )
})

test('a name is a file of ours, a path is taken as it is, and an unknown name lists those that are there', async () => {
  expect(await scenarioFile('quota')).toBe(join(OURS, 'quota.yaml'))
  expect(await scenarioFile('./mine.yaml')).toBe('./mine.yaml')
  await expect(scenarioFile('quoat')).rejects.toMatchObject({
    message: 'there is no scenario "quoat"',
    exit: 2,
    hint: expect.stringContaining('quota'),
  })
  expect(await scenarioNames()).toContain('lived-in')
})
