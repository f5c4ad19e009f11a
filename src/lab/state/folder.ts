import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { EXIT, MigError } from '../../errors.ts'
import { startOf } from './process.ts'
import { type LabRecord, parseRecord } from './record.ts'

/** `$XDG_STATE_HOME/kubectl-mig/labs`, where each lab has a folder. */
function labsFolder(env: NodeJS.ProcessEnv): string {
  const state = env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state')
  return join(state, 'kubectl-mig', 'labs')
}

/** A lab on this machine, as its folder shows it. */
export interface FoundLab {
  name: string
  folder: string
  /** Undefined when lab.json can't be read. */
  record: LabRecord | undefined
  /** Whether its process is there. */
  alive: boolean
}

export const KUBECONFIG_FILE = 'kubeconfig'
export const LOG_FILE = 'log'
const RECORD_FILE = 'lab.json'

/** @throws MigError for a name that could not be a folder's or would not look like one */
export function checkName(name: string): void {
  if (/^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/.test(name)) return
  throw new MigError(
    EXIT.usage,
    `"${name}" can't be a lab's name: up to 40 lower-case letters, digits and dashes, the first and last no dash`,
  )
}

/** All labs with a folder, alive or not, by name. */
export async function findLabs(env: NodeJS.ProcessEnv): Promise<FoundLab[]> {
  const names = await readdir(labsFolder(env)).catch(() => [])
  const visible = names.filter((name) => !name.startsWith('.')).sort()
  return Promise.all(visible.map((name) => inspect(join(labsFolder(env), name))))
}

/** @throws MigError when there is no lab of that name, alive or dead */
export async function existingLab(env: NodeJS.ProcessEnv, name: string): Promise<FoundLab> {
  checkName(name)
  const labs = await findLabs(env)
  const lab = labs.find((one) => one.name === name)
  if (lab) return lab
  const others = labs.map((one) => one.name).join(', ')
  throw new MigError(EXIT.notFound, `there is no lab called "${name}"`, {
    hint: others ? `labs that exist: ${others}` : 'start one: kubectl mig lab up',
  })
}

/**
 * Takes the name for this process: the folder appears whole, record and all, or not at all. A folder that a dead lab
 * left is cleaned up first. @throws MigError when a lab of that name is alive
 */
export async function claimFolder(env: NodeJS.ProcessEnv, record: LabRecord): Promise<string> {
  const parent = labsFolder(env)
  await makeFolder(parent)
  await sweep(parent)
  const folder = join(parent, record.name)
  const draft = await mkdtemp(join(parent, '.new-'))
  await writeFile(join(draft, RECORD_FILE), text(record), { mode: 0o600 })
  for (let attempt = 1; ; attempt++) {
    try {
      await rename(draft, folder)
      return folder
    } catch (err) {
      const other = await inspect(folder)
      if (!other.alive && attempt < 3) {
        await cleanUp(other)
        continue
      }
      await rm(draft, { recursive: true, force: true })
      if (!other.alive) throw err
      throw new MigError(
        EXIT.error,
        `a lab called "${record.name}" is up already (process ${other.record?.pid})`,
        {
          hint: `give another --name, or end it: kubectl mig lab down --name ${record.name}`,
          cause: err,
        },
      )
    }
  }
}

/** So long a draft may be without its record, ms. */
const DRAFT_MS = 60_000

/** Removes what labs have left that ended while they took their name or cleaned up another's. */
async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!/^\.(new|old)-/.test(name)) continue
    const { folder, record, alive } = await inspect(join(parent, name))
    const made = (await stat(folder).catch(() => undefined))?.mtimeMs
    if (alive || made === undefined || (!record && Date.now() - made < DRAFT_MS)) continue
    if (record?.socketFolder) await removeSockets(record.socketFolder)
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Makes a folder and those above it. Step by step: Node's own recursive mkdir never returns below /proc.
 * @throws MigError that names the folder and the variable behind it
 */
async function makeFolder(path: string): Promise<void> {
  const make = async (): Promise<string | undefined> => {
    const code = await mkdir(path, { mode: 0o700 }).then(
      () => undefined,
      (err: NodeJS.ErrnoException) => err.code ?? err.message,
    )
    return code === 'EEXIST' && (await stat(path)).isDirectory() ? undefined : code
  }
  let failed = await make()
  if (failed === 'ENOENT' && dirname(path) !== path) {
    await makeFolder(dirname(path))
    failed = await make()
  }
  if (failed === undefined) return
  throw new MigError(EXIT.error, `cannot make the folder ${path} for labs: ${failed}`, {
    hint: 'XDG_STATE_HOME (or HOME, without it) must name a folder that can be written to',
  })
}

/** Replaces the record; a reader sees the old or the new one. */
export async function writeRecord(folder: string, record: LabRecord): Promise<void> {
  const draft = join(folder, `.${RECORD_FILE}`)
  await writeFile(draft, text(record), { mode: 0o600 })
  await rename(draft, join(folder, RECORD_FILE))
}

/** Removes what a dead lab has left: its folder and its sockets. */
export async function cleanUp({ folder }: Pick<FoundLab, 'folder'>): Promise<void> {
  const aside = join(dirname(folder), `.old-${basename(folder)}-${process.pid}`)
  // Out of the way in one step, so that the name is free and nobody else cleans the same.
  const moved = await rename(folder, aside).then(
    () => true,
    () => false,
  )
  if (!moved) return
  const { record, alive } = await inspect(aside)
  if (alive) {
    // Somebody was quicker: the name belongs to a new lab already.
    await rename(aside, folder)
    return
  }
  if (record?.socketFolder) await removeSockets(record.socketFolder)
  await rm(aside, { recursive: true, force: true })
}

/** Never anything but what a lab makes, whatever the file says. */
async function removeSockets(folder: string): Promise<void> {
  if (!/^mig-[A-Za-z0-9]{6}$/.test(basename(folder))) return
  await rm(folder, { recursive: true, force: true })
}

async function inspect(folder: string): Promise<FoundLab> {
  const content = await readFile(join(folder, RECORD_FILE), 'utf8').catch(() => '')
  const record = parseRecord(content)
  const alive = !!record && (await startOf(record.pid)) === record.processStart
  return { name: basename(folder), folder, record, alive }
}

function text(record: LabRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`
}
