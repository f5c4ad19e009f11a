import type { ArgumentEntry, CommandEntry, FlagEntry, Manifest } from './manifest.ts'

/** What the person is typing. */
export type Position = { partial: string } & (
  | { at: 'command'; before: string[] }
  | { at: 'flag'; command: CommandEntry; given: Given }
  | { at: 'value'; command: CommandEntry; flag: FlagEntry; given: Given }
  | { at: 'argument'; command: CommandEntry; argument: ArgumentEntry | undefined; given: Given }
  | { at: 'nowhere' }
)

/** What stands before it. */
export interface Given {
  args: string[]
  /** Values by flag; a boolean flag has none. */
  flags: Record<string, string[]>
}

/**
 * Finds out what is to be completed.
 * @param words after `kubectl mig`; the last one is what has been typed so far, and may be empty
 */
export function positionOf(words: string[], manifest: Manifest): Position {
  const partial = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const command = commandOf(before, manifest)
  if (!command)
    return before.some(isFlag) ? { at: 'nowhere', partial } : { at: 'command', before, partial }

  const { given, open, ended } = readWords(before.slice(wordsOf(command).length), command)
  if (open) return { at: 'value', command, flag: open, given, partial }
  if (!ended && isFlag(partial)) {
    const [name, value] = splitFlag(partial)
    const flag = value === undefined ? undefined : flagNamed(command, name)
    if (value === undefined) return { at: 'flag', command, given, partial }
    return flag ? { at: 'value', command, flag, given, partial: value } : { at: 'nowhere', partial }
  }
  return { at: 'argument', command, argument: nextArgument(command, given.args), given, partial }
}

/** The words by which a command is called. */
export function wordsOf({ id }: CommandEntry): string[] {
  return id.split(':')
}

/** The command with the most words that these begin with. */
function commandOf(words: string[], { commands }: Manifest): CommandEntry | undefined {
  for (let count = words.length; count > 0; count--) {
    const command = commands[words.slice(0, count).join(':')]
    if (command) return command
  }
  return undefined
}

/** Reads complete words as oclif does; `open` is the flag whose value comes next. */
function readWords(words: string[], command: CommandEntry) {
  const given: Given = { args: [], flags: {} }
  let open: FlagEntry | undefined
  let ended = false
  const add = (flag: FlagEntry, value?: string) => {
    given.flags[flag.name] ??= []
    if (value !== undefined) given.flags[flag.name]!.push(value)
  }
  for (const word of words) {
    if (open) {
      add(open, word)
      open = undefined
    } else if (ended || !isFlag(word)) given.args.push(word)
    else if (word === '--') ended = true
    else {
      const [name, value] = splitFlag(word)
      const flag = flagNamed(command, name)
      if (!flag) continue
      if (flag.type === 'option' && value === undefined) open = flag
      else add(flag, value)
    }
  }
  return { given, open, ended }
}

/** `--name=value`, `-nvalue` → name and value. */
function splitFlag(word: string): [name: string, value: string | undefined] {
  if (!word.startsWith('--'))
    return word.length > 2 ? [word.slice(0, 2), word.slice(2)] : [word, undefined]
  const equals = word.indexOf('=')
  return equals < 0 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)]
}

function flagNamed({ flags }: CommandEntry, name: string): FlagEntry | undefined {
  return Object.values(flags).find(
    (flag) =>
      name === `--${flag.name}` ||
      name === `-${flag.char}` ||
      (flag.allowNo && name === `--no-${flag.name}`),
  )
}

/** The one that comes next; the last may take several. */
function nextArgument({ args }: CommandEntry, given: string[]): ArgumentEntry | undefined {
  const all = Object.values(args)
  const last = all.at(-1)
  return all[given.length] ?? (last?.multiple ? last : undefined)
}

function isFlag(word: string): boolean {
  return word.startsWith('-') && word !== '-'
}
