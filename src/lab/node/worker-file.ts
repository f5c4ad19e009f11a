import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * Where the file is with which a node's thread starts. In a checkout and in tests it is TypeScript beside this file.
 * The bundle, and so the package that npm installs, has it as an entry of its own at the same path below dist/, wherever
 * the bundler put the code that asks. A single executable has the bundle's dist/ beside itself.
 * @param from URL of the asking module
 * @param executable path of the running program
 */
export function workerFile(from = import.meta.url, executable = process.execPath): URL {
  const source = from.endsWith('.ts') ? new URL('./worker.ts', from) : undefined
  if (source && existsSync(source)) return source
  const start = from.startsWith('file:') ? dirname(fileURLToPath(from)) : dirname(executable)
  const bundled = 'src/lab/node/worker.js'
  const candidates = [
    ...upwards(start).map((folder) => join(folder, bundled)),
    join(dirname(executable), 'dist', bundled),
  ]
  const found = candidates.find((file) => existsSync(file))
  if (found) return pathToFileURL(found)
  throw new Error(`this copy of kubectl-mig is incomplete: ${bundled} is missing`)
}

/** The folder and all that it lies in. */
function upwards(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...upwards(above)]
}
