import { EXIT, MigError } from '../errors.ts'

export type SubjectKind = 'vm' | 'vmi' | 'vmim' | 'node'

/** What a person typed: `NAME`, `vm/NAME`, `vmi/NAME`, `vmim/NAME`, `node/NAME`. */
export interface Reference {
  /** Undefined for a bare NAME: a VM or VMI, then a migration. */
  kind: SubjectKind | undefined
  name: string
  /** As it was typed. */
  text: string
}

/**
 * Reads a reference. Plural, long and short names are taken as kubectl takes them.
 * @param allowed the kinds that the command knows; a bare NAME is always allowed
 * @throws MigError (usage) that says what was expected
 */
export function parseReference(text: string, allowed: SubjectKind[]): Reference {
  const slash = text.indexOf('/')
  const [prefix, name] =
    slash < 0 ? [undefined, text] : [text.slice(0, slash), text.slice(slash + 1)]
  const kind = prefix === undefined ? undefined : KINDS[prefix.toLowerCase()]
  if (prefix !== undefined && !kind)
    throw usage(`"${text}": there is no kind "${prefix}" here`, allowed)
  if (kind && !allowed.includes(kind))
    throw usage(`"${text}" is ${KIND_NAMES[kind]}, which this command does not take`, allowed, kind)
  if (!NAME.test(name) || name.length > 253)
    throw usage(
      `"${text}": ${name ? `"${name}" is no valid name` : 'the name is missing'}`,
      allowed,
    )
  return { kind, name, text }
}

/** Names of objects are DNS subdomains (RFC 1123). */
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

const KINDS: Record<string, SubjectKind> = {
  vm: 'vm',
  vms: 'vm',
  virtualmachine: 'vm',
  virtualmachines: 'vm',
  vmi: 'vmi',
  vmis: 'vmi',
  virtualmachineinstance: 'vmi',
  virtualmachineinstances: 'vmi',
  vmim: 'vmim',
  vmims: 'vmim',
  virtualmachineinstancemigration: 'vmim',
  virtualmachineinstancemigrations: 'vmim',
  node: 'node',
  nodes: 'node',
  no: 'node',
}

const KIND_NAMES: Record<SubjectKind, string> = {
  vm: 'a VM',
  vmi: 'a VMI',
  vmim: 'a migration',
  node: 'a node',
}

function usage(message: string, allowed: SubjectKind[], kind?: SubjectKind): MigError {
  const forms = ['NAME', ...allowed.map((kind) => `${kind}/NAME`)]
  const node = kind === 'node' ? '; "kubectl mig diagnose node/NAME" looks at a node' : ''
  return new MigError(EXIT.usage, message, { hint: `expected ${forms.join(', ')}${node}` })
}
