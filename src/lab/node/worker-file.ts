import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * Where the file is with which a node's thread starts. In a checkout and in tests it is TypeScript beside this file.
 * The bundle, and so the package that npm installs, has it as an entry of its own at the same path below dist/, wherever
 * the bundler put the code that asks.
 * @param from URL of the asking module
 */
export function workerFile(from: string = import.meta.url): URL {
  const source = new URL('./worker.ts', from)
  if (from.endsWith('.ts') && existsSync(source)) return source
  const tried: string[] = []
  for (let folder = dirname(fileURLToPath(from)); ; folder = dirname(folder)) {
    const file = join(folder, 'src/lab/node/worker.js')
    if (existsSync(file)) return pathToFileURL(file)
    tried.push(file)
    if (folder === dirname(folder)) break
  }
  throw new Error(`this copy of kubectl-mig is incomplete: there is no ${tried[0]}`)
}
