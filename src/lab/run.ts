import { createWriteStream, existsSync, rmSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { startInformer } from '../cluster/informer.ts'
import { EVENTS } from '../kubevirt/resources.ts'
import { timestamp } from '../kubevirt/time.ts'
import type { Event } from '../kubevirt/types.ts'
import { type Lab, type LabOptions, startLab } from './lab.ts'
import type { NodeLog } from './node/log.ts'
import { checkName, claimFolder, KUBECONFIG_FILE, LOG_FILE, writeRecord } from './state/folder.ts'
import { startOf } from './state/process.ts'
import type { LabRecord } from './state/record.ts'

export interface RunOptions extends Omit<LabOptions, 'log' | 'signal'> {
  env: NodeJS.ProcessEnv
  /** Ends the lab. */
  signal: AbortSignal
  /** There are files now; what it is given removes them without waiting, for a process that ends at once. */
  onClaim?: ((abandon: () => void) => void) | undefined
  onReady(lab: RunningLab): void
  /** It could not start; the error is thrown too. */
  onFailure?: ((err: unknown) => void) | undefined
  /** What happens in the lab from then on. */
  onEvent?: ((event: Event) => void) | undefined
}

export interface RunningLab {
  record: LabRecord
  folder: string
  kubeconfig: string
  log: string
}

/** Accounts that a person gets; the others are the lab's own. The first is current. */
const CONTEXTS = ['admin', 'viewer']

/**
 * Runs a lab under its name in this process, with a folder that others find it by, until the signal ends it; then
 * nothing is left. @throws MigError when the name is taken or the lab can't start
 */
export async function runLab(options: RunOptions): Promise<void> {
  try {
    await run(options)
  } catch (err) {
    options.onFailure?.(err)
    throw err
  }
}

async function run(options: RunOptions): Promise<void> {
  const { env, signal, clock } = options
  checkName(options.name)
  const record: LabRecord = {
    name: options.name,
    pid: process.pid,
    processStart: (await startOf(process.pid)) ?? '',
    createdAt: timestamp(clock.now()),
    nodes: options.nodes,
    vms: options.vms,
    guest: options.guest,
  }
  const folder = await claimFolder(env, record)
  const logFile = join(folder, LOG_FILE)
  const stream = createWriteStream(logFile, { flags: 'a', mode: 0o600 })
  const log: NodeLog = (line) => {
    stream.write(`${JSON.stringify({ ...line, timestamp: new Date(clock.now()).toISOString() })}\n`)
  }
  let lab: Lab | undefined
  const folders = [folder]
  options.onClaim?.(() => folders.forEach(removeNow))
  try {
    lab = await startLab({
      ...options,
      log,
      onSockets: (socketFolder) => {
        folders.unshift(socketFolder)
        return writeRecord(folder, { ...record, socketFolder })
      },
    })
    const { socketFolder, url } = lab
    const kubeconfig = join(folder, KUBECONFIG_FILE)
    await writeFile(kubeconfig, personal(lab.kubeconfig()), { mode: 0o600 })
    const ready = { ...record, url, socketFolder }
    await writeRecord(folder, ready)
    options.onReady({ record: ready, folder, kubeconfig, log: logFile })
    await follow(lab, signal, options.onEvent)
  } finally {
    await lab?.close()
    await new Promise((resolve) => stream.end(resolve))
    await rm(folder, { recursive: true, force: true })
  }
}

/** Threads may be removing files of the same folder at this moment: then node's own removal stops half-way, unheard. */
function removeNow(folder: string): void {
  for (let attempt = 0; existsSync(folder) && attempt < 100; attempt++) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Resolves when the signal comes. */
async function follow(lab: Lab, signal: AbortSignal, onEvent: RunOptions['onEvent']) {
  const admin = await lab.connect('admin')
  const news = onEvent && startInformer<Event>(admin, EVENTS)
  await news?.synced
  news?.on(({ type, object }) => {
    if (type !== 'DELETED') onEvent?.(object)
  })
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  await news?.close()
  await admin.close()
}

/** The kubeconfig with the contexts of people alone. */
function personal(text: string): string {
  const config = parse(text) as Record<string, unknown> & Record<'contexts' | 'users', Named[]>
  return stringify({
    ...config,
    contexts: config.contexts.filter(({ name }) => CONTEXTS.includes(name)),
    users: config.users.filter(({ name }) => CONTEXTS.includes(name)),
  })
}

interface Named {
  name: string
}
