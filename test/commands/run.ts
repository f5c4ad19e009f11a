import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface Started {
  child: ChildProcess
  ended: Promise<Ended>
  /** What came so far. */
  stdout(): string
  stderr(): string
}

/** The source itself: a build that lies around may be an old one. */
const SCRIPT = fileURLToPath(new URL('../../bin/dev.js', import.meta.url))

/** Starts `kubectl mig …` as a process of its own, its streams pipes; it is ended with the test. */
export function start(args: string[], env: NodeJS.ProcessEnv = {}): Started {
  const child = spawn(process.execPath, [SCRIPT, ...args], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const { promise: ended, resolve } = Promise.withResolvers<Ended>()
  child.on('close', (code) => resolve({ code, stdout, stderr }))
  return { child, ended, stdout: () => stdout, stderr: () => stderr }
}

export function run(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return start(args, env).ended
}

/** A file in a folder that goes with the test. */
export function file(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'mig-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, name)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

/** The words of a shell-like line. */
export function words(line: string): string[] {
  return line.split(' ').filter(Boolean)
}
