import type { CommandEntry, FlagEntry, Manifest } from './manifest.ts'
import { type Given, type Position, positionOf, wordsOf } from './position.ts'
import { type Source, sourceOfArgument, sourceOfFlag } from './sources.ts'

export interface Candidate {
  value: string
  description?: string | undefined
}

/** Looks something up outside: in the cluster, in a kubeconfig. Never throws. */
export type LookUp = (source: Source, given: Given, partial: string) => Promise<Candidate[]>

export interface Completion {
  candidates: Candidate[]
  /** The shell offers files. */
  files?: boolean
}

/** What can stand where the person is typing, and begins with what has been typed. */
export async function complete(
  words: string[],
  manifest: Manifest,
  { topics, lookUp }: { topics: Record<string, string>; lookUp: LookUp },
): Promise<Completion> {
  const position = positionOf(words, manifest)
  const { candidates, files } = await unfiltered(position, manifest, topics, lookUp)
  return {
    candidates: candidates.filter(({ value }) => value.startsWith(position.partial)),
    ...(files && { files }),
  }
}

async function unfiltered(
  position: Position,
  manifest: Manifest,
  topics: Record<string, string>,
  lookUp: LookUp,
): Promise<Completion> {
  const from = async (source: Source | undefined, given: Given): Promise<Completion> => {
    if (source === undefined) return { candidates: [] }
    if (source === 'files') return { candidates: [], files: true }
    return { candidates: await lookUp(source, given, position.partial) }
  }
  switch (position.at) {
    case 'command':
      return { candidates: commandWords(position.before, manifest, topics) }
    case 'flag':
      return { candidates: flagsOf(position.command, position.given) }
    case 'value': {
      const { flag, given, command } = position
      if (flag.options) return { candidates: flag.options.map((value) => ({ value })) }
      return from(sourceOfFlag(command, flag), given)
    }
    case 'argument': {
      const { command, argument, given } = position
      if (!argument) return { candidates: given.args.length === 0 ? flagsOf(command, given) : [] }
      if (argument.options) return { candidates: argument.options.map((value) => ({ value })) }
      const { candidates, ...rest } = await from(sourceOfArgument(command, argument), given)
      return { candidates: candidates.filter(({ value }) => !given.args.includes(value)), ...rest }
    }
    case 'nowhere':
      return { candidates: [] }
  }
}

/** The next words of the commands that begin with these. */
function commandWords(
  before: string[],
  { commands }: Manifest,
  topics: Record<string, string>,
): Candidate[] {
  const found = new Map<string, string | undefined>()
  for (const command of Object.values(commands)) {
    const words = wordsOf(command)
    if (command.hidden || before.some((word, i) => words[i] !== word)) continue
    const next = words[before.length]
    if (next === undefined) continue
    const whole = words.length === before.length + 1
    found.set(next, whole ? command.summary : topics[[...before, next].join(':')])
  }
  return [...found].map(([value, description]) => ({ value, description }))
}

/** Those that may still be given. */
function flagsOf({ flags }: CommandEntry, given: Given): Candidate[] {
  const open = Object.values(flags).filter(
    (flag) => !flag.hidden && (flag.multiple || !given.flags[flag.name]),
  )
  return [...open.flatMap(namesOf), { value: '--help', description: 'show help' }]
}

function namesOf({ name, description, allowNo }: FlagEntry): Candidate[] {
  return [
    { value: `--${name}`, description },
    ...(allowNo ? [{ value: `--no-${name}`, description: `off: ${description}` }] : []),
  ]
}
