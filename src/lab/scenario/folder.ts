import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EXIT, MigError } from '../../errors.ts'
import { readScenario } from './read.ts'
import type { Scenario } from './scenario.ts'

/** One that is always there. */
const ANY = 'lived-in.yaml'

/**
 * The folder with the scenarios: above this file, in a checkout as in the bundle that npm installs; beside a single
 * executable. @param from URL of the asking module @param executable path of the running program
 */
export function scenarioFolder(from = import.meta.url, executable = process.execPath): string {
  const start = from.startsWith('file:') ? dirname(fileURLToPath(from)) : dirname(executable)
  const found = upwards(start)
    .map((folder) => join(folder, 'scenarios'))
    .find((folder) => existsSync(join(folder, ANY)))
  if (found) return found
  throw new Error('this copy of kubectl-mig is incomplete: scenarios/ is missing')
}

/** Of the scenarios that come with this program, by name. */
export async function scenarioNames(): Promise<string[]> {
  const files = await readdir(scenarioFolder())
  return files.flatMap((file) => (file.endsWith('.yaml') ? [basename(file, '.yaml')] : [])).sort()
}

/** The file of a name, or a file's path as it is. @throws MigError (usage) for a name that none has */
export async function scenarioFile(nameOrFile: string): Promise<string> {
  if (/[/.]/.test(nameOrFile)) return nameOrFile
  const names = await scenarioNames()
  if (names.includes(nameOrFile)) return join(scenarioFolder(), `${nameOrFile}.yaml`)
  throw new MigError(EXIT.usage, `there is no scenario "${nameOrFile}"`, {
    hint: `scenarios: ${names.join(', ')}; a file is given with its path, such as ./mine.yaml`,
  })
}

/** All that come with this program, by name. */
export async function allScenarios(): Promise<Scenario[]> {
  const folder = scenarioFolder()
  return Promise.all(
    (await scenarioNames()).map((name) => readScenario(join(folder, `${name}.yaml`))),
  )
}

/** The folder and all that it lies in. */
function upwards(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...upwards(above)]
}
