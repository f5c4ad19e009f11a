import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { allScenarios } from '../../src/lab/scenario/folder.ts'
import { scenarioPage } from '../../tools/docs/scenario-page.ts'

test('docs/scenarios.md is what the files in scenarios/ say', async () => {
  const written = readFileSync(new URL('../../docs/scenarios.md', import.meta.url), 'utf8')
  expect(written).toBe(scenarioPage(await allScenarios()))
})
