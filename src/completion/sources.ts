import type { ArgumentEntry, CommandEntry, FlagEntry } from './manifest.ts'

/** Where values come from that no manifest can know. */
export type Source =
  /** VMs that run. */
  | 'running'
  /** VMs with a migration in flight. */
  | 'moving'
  /** VMs with a migration, in flight or ended. */
  | 'moved'
  | 'nodes'
  /** KEY=VALUE, of VMIs, of migrations, of nodes. */
  | 'vm-labels'
  | 'migration-labels'
  | 'node-labels'
  | 'namespaces'
  | 'contexts'
  | 'clusters'
  | 'users'
  | 'labs'
  /** Of a lab, by name. */
  | 'scenarios'
  /** Codes of `diagnose`. */
  | 'codes'
  | 'files'

export function sourceOfFlag(
  { id }: CommandEntry,
  { name, helpValue }: FlagEntry,
): Source | undefined {
  if (name === 'name' && id.startsWith('lab:') && id !== 'lab:up') return 'labs'
  if (name === 'selector') return id === 'status' ? 'migration-labels' : 'vm-labels'
  return FLAGS[name] ?? (FILES.test(helpValue ?? '') ? 'files' : undefined)
}

export function sourceOfArgument(
  { id }: CommandEntry,
  { name }: ArgumentEntry,
): Source | undefined {
  if (FILES.test(name)) return 'files'
  return SUBJECTS[id] ?? ARGUMENTS[name]
}

const FLAGS: Record<string, Source> = {
  namespace: 'namespaces',
  context: 'contexts',
  cluster: 'clusters',
  user: 'users',
  'to-node': 'nodes',
  scenario: 'scenarios',
  'node-selector': 'node-labels',
}

const SUBJECTS: Record<string, Source> = { cancel: 'moving', status: 'moved', ports: 'moved' }

const ARGUMENTS: Record<string, Source> = {
  name: 'running',
  vm: 'running',
  node: 'nodes',
  code: 'codes',
}

const FILES = /^(file|path|folder|dir)$/i
