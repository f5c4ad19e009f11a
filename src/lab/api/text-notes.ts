import { scanJson } from './json-scanner.ts'

/** What a text says beyond the value that JavaScript makes of it. */
export interface TextNotes {
  /** All members of a JSON text, in its order. */
  members: readonly { path: string; again: boolean }[]
  /** Numbers of a JSON text by their paths, as they are written: `80.0`, or more digits than JavaScript holds. */
  literals: ReadonlyMap<string, string>
  /** What is said twice in YAML: `line 3: key "name" already set in map`. */
  lines: readonly string[]
}

/**
 * @param text JSON
 * @param value what it says
 * @returns undefined for a text without duplicates and unusual numbers. Clients that write as JSON.stringify does are not
 * scanned
 */
export function notesOfJson(text: string, value: unknown): TextNotes | undefined {
  if (JSON.stringify(value) === text) return undefined
  const members: { path: string; again: boolean }[] = []
  const literals = new Map<string, string>()
  scanJson(text, {
    member: (path, again) => members.push({ path, again }),
    number(path, literal) {
      if (String(Number(literal)) !== literal) literals.set(path, literal)
    },
  })
  return { members, literals, lines: [] }
}

export function notesOfYaml(lines: readonly string[]): TextNotes {
  return { members: [], literals: new Map(), lines }
}

/** What strict decoding refuses: unknown fields are listed among the duplicates, wherever they stand. */
export function inOrderOfText(notes: TextNotes | undefined, unknown: string[]): string[] {
  const fields = unknown.map(unknownField)
  if (!notes?.members.some(({ again }) => again)) return [...(notes?.lines ?? []), ...fields]
  const isUnknown = new Set(unknown)
  // A member of what is unknown is not looked at.
  const isSkipped = (path: string) => unknown.some((of) => path.startsWith(`${of}.`))
  return notes.members
    .filter(({ path }) => !isSkipped(path))
    .flatMap(({ path, again }) => {
      if (again) return [duplicateField(path)]
      return isUnknown.has(path) ? [unknownField(path)] : []
    })
}

/** The same where the text is read first, and only then as a type. */
export function duplicatesFirst(notes: TextNotes | undefined, unknown: string[]): string[] {
  const again = notes?.members.filter((member) => member.again) ?? []
  const duplicates = again.map(({ path }) => duplicateField(path))
  return [...duplicates, ...(notes?.lines ?? []), ...unknown.map(unknownField)]
}

/** In one line, as a refusal has it. */
export function strictText(
  complaints: readonly string[],
  { lines = [] }: Partial<TextNotes>,
): string {
  if (lines.length === 0) return complaints.join(', ')
  const rest = complaints.filter((complaint) => !lines.includes(complaint))
  return [yamlText(lines), ...rest].join(', ')
}

export function yamlText(lines: readonly string[]): string {
  return `yaml: unmarshal errors:\n${lines.map((line) => `  ${line}`).join('\n')}`
}

function unknownField(path: string): string {
  return `unknown field ${JSON.stringify(path)}`
}

function duplicateField(path: string): string {
  return `duplicate field ${JSON.stringify(path)}`
}
