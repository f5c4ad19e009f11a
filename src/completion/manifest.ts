/** What completion reads of oclif.manifest.json. */
export interface Manifest {
  /** By id: `migrate`, `lab:up`. */
  commands: Record<string, CommandEntry>
}

export interface CommandEntry {
  id: string
  summary?: string
  hidden?: boolean
  args: Record<string, ArgumentEntry>
  flags: Record<string, FlagEntry>
}

export interface ArgumentEntry {
  name: string
  description?: string
  multiple?: boolean
  options?: string[]
}

export interface FlagEntry {
  name: string
  type: 'boolean' | 'option'
  char?: string
  description?: string
  helpValue?: string
  options?: string[]
  /** There is a `--no-NAME` too. */
  allowNo?: boolean
  multiple?: boolean
  hidden?: boolean
}
