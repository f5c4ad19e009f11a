import { execFile } from 'node:child_process'
import type { Outcome } from './container-commands.ts'

/** Runs one of this system's own programs as if it were a container's; rejects where there is none of that name. */
export function runProgram([program = '', ...args]: readonly string[]): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    execFile(program, args, (err, stdout, stderr) => {
      if (err?.code === 'ENOENT') return reject(err)
      resolve({ stdout, stderr, code: typeof err?.code === 'number' ? err.code : err ? 1 : 0 })
    })
  })
}
