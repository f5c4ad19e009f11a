import { expect, test } from 'vitest'
import { runningLab } from '../lab/running.ts'
import { file, run, words } from './run.ts'

const { lab } = await runningLab({
  name: 'diagnose-command',
  vms: 1,
})

const mig = (line: string) => run(words(line), { KUBECONFIG: file('config', lab.kubeconfig()) })

test('a VM as text, the cluster as one document', async () => {
  const [text, document] = await Promise.all([mig('diagnose vm-1'), mig('diagnose -A -o json')])
  expect(text).toMatchObject({ code: 0, stderr: '' })
  expect(text.stdout).toMatch(
    /^Nothing blocks a migration of vm-1: .*\n {2}Running for \d+s .*MIG1000\n\nvmi\/default\/vm-1 {2}Running\n/,
  )
  expect(text.stdout).toMatch(/ read from admin at 20\S+; \d+ of \d+ checks carried out\n$/)
  expect(document).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(document.stdout)).toMatchObject({
    source: { kind: 'cluster', from: ['admin'] },
    verdict: { title: 'Nothing is wrong with the migrations of the cluster' },
  })
})

test('who may not look is told so, exit 8', async () => {
  const { code, stdout } = await mig('diagnose -A --context viewer')
  expect(code).toBe(8)
  expect(stdout).toMatch(/^How it stands with the migrations of the cluster is not known/)
})

test.each([
  ['nope', 9],
  ['vmim/nope', 9],
  ['node/nope', 9],
  ['pod/nope', 2],
  ['vm-1 -A', 2],
  ['--logs', 2],
  ['vm-1 --now 2026-01-01T00:00:00Z', 2],
])('%s: one line, and its exit status', async (line, code) => {
  const ended = await mig(`diagnose ${line}`)
  expect(ended).toMatchObject({ code, stdout: '' })
  expect(ended.stderr).toMatch(/^error: .*\n(hint: .*\n)?$/)
})
