import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const script = fileURLToPath(new URL('../../bin/kubectl-mig', import.meta.url))

/** Starts the real file, on a Node that says it is of another version. */
async function startOn(version: string) {
  const pretend = `Object.defineProperty(process.versions,'node',{value:'${version}'})`
  const args = [
    '--import',
    `data:text/javascript,${encodeURIComponent(pretend)}`,
    script,
    '--version',
  ]
  try {
    return { code: 0, ...(await run(process.execPath, args)) }
  } catch (err) {
    return err as { code: number; stdout: string; stderr: string }
  }
}

test.each(['18.20.0', '20.20.2', '22.18.9'])('Node %s is refused in one line', async (version) => {
  const { code, stdout, stderr } = await startOn(version)
  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^error: kubectl-mig needs Node 22\.19 or newer, this is \S+ \(.*\)\n$/)
  expect(stderr).toContain(version)
})

test.each(['22.19.0', '24.0.0', '26.1.0'])('Node %s is accepted', async (version) => {
  const { code, stdout } = await startOn(version)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^kubectl-mig\//)
})
