import { expect, test } from 'vitest'
import { file, run, words } from './run.ts'

test('lab scenarios: what is wrong in each, and by which code it is told', async () => {
  const [text, document] = await Promise.all([
    run(['lab', 'scenarios']),
    run(['lab', 'scenarios', '-o', 'json']),
  ])
  expect(text).toMatchObject({ code: 0, stderr: '' })
  expect(text.stdout).toMatch(/^NAME +CODE +WHAT IS WRONG\n/)
  expect(text.stdout).toMatch(/^quota +MIG3001 +The quota of the namespace has no room/m)
  expect(JSON.parse(document.stdout)).toContainEqual(
    expect.objectContaining({ name: 'quota', code: 'MIG3001' }),
  )
})

test.each([
  ['quoat', /^error: there is no scenario "quoat"\nhint: scenarios: back-off, .*\n$/],
  ['./none.yaml', /^error: .\/none.yaml: no such file\n$/],
  [
    'slow-link --guest none',
    /^error: --guest none: the scenario slow-link is about a copy, and such guests have nothing to copy\nhint: synthetic and qemu have\n$/,
  ],
])('lab up --scenario %s: one line, exit 2', async (name, message) => {
  for (const line of ['lab up --scenario', 'lab up --detach --scenario']) {
    const { code, stdout, stderr } = await run(words(`${line} ${name}`))
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(message)
  }
})

test('a file that is no scenario: its line, exit 2', async () => {
  const path = file('mine.yaml', 'kind: Pod\n')
  const { code, stderr } = await run(['lab', 'up', '--scenario', path])
  expect(code).toBe(2)
  expect(stderr.split('\n')[0]).toBe(
    `error: ${path}:1: its first document is no Scenario of lab.kubectl-mig.io/v1alpha1`,
  )
})
