import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { allScenarios } from '../../src/lab/scenario/folder.ts'
import { readmeWithScenarios, scenarioPage } from '../../tools/docs/scenario-page.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('docs/scenarios.md and the table in the README are what the files in scenarios/ say', async () => {
  const scenarios = await allScenarios()
  expect(read('docs/scenarios.md')).toBe(scenarioPage(scenarios))
  expect(read('README.md')).toBe(readmeWithScenarios(read('README.md'), scenarios))
  expect(read('README.md')).toContain(`[${scenarios[0]?.name}](docs/scenarios.md#`)
})
