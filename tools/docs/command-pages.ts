import { readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArgumentEntry, CommandEntry, FlagEntry } from '../../src/completion/manifest.ts'
import { clusterFlags } from '../../src/flags.ts'

/** What the pages show of oclif.manifest.json, which is also what `--help` shows. */
export interface DocumentedManifest {
  commands: Record<string, DocumentedCommand>
}

interface DocumentedCommand extends CommandEntry {
  description?: string
  examples?: (string | { description: string; command: string })[]
  args: Record<string, ArgumentEntry & { required?: boolean }>
  flags: Record<string, FlagEntry & { default?: unknown }>
}

/** The pages of docs/commands by file name: one for each command, and a list of them. */
export function commandPages({ commands }: DocumentedManifest): Record<string, string> {
  const shown = Object.values(commands).filter(({ hidden }) => !hidden)
  const pages = shown.map((command) => [fileOf(command), page(command)])
  return { ...Object.fromEntries(pages), 'README.md': list(shown) }
}

/** Writes what has changed, and removes pages of commands that are gone. */
export async function renewCommandPages(root: string): Promise<void> {
  const folder = join(root, 'docs/commands')
  await mkdir(folder, { recursive: true })
  const pages = commandPages(JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8')))
  for (const file of await readdir(folder)) if (!(file in pages)) await rm(join(folder, file))
  for (const [file, text] of Object.entries(pages)) {
    const before = await readFile(join(folder, file), 'utf8').catch(() => undefined)
    if (text !== before) await writeFile(join(folder, file), text)
  }
}

const MADE = '<!-- Made from the commands themselves by "npm run build"; change it there. -->'

function list(commands: DocumentedCommand[]): string {
  const rows = commands.map((command) => [
    `[${callOf(command)}](${fileOf(command)})`,
    command.summary ?? '',
  ])
  return sections([MADE, '# Commands', table(['command', 'what it does'], rows)])
}

function page(command: DocumentedCommand): string {
  const { summary, description, args, flags } = command
  const own = Object.values(flags).filter(({ name, hidden }) => !hidden && !(name in clusterFlags))
  const shared = Object.values(flags).filter(({ name }) => name in clusterFlags)
  const argumentRows = Object.values(args).map((arg) => [
    code(argumentOf(arg)),
    arg.description ?? '',
  ])
  return sections([
    MADE,
    `# ${callOf(command)}`,
    `${summary}.`,
    description,
    fence('sh', usage(command)),
    '## Examples',
    ...(command.examples ?? []).map((example) => exampleOf(example, command)),
    argumentRows.length > 0 && '## Arguments',
    argumentRows.length > 0 && table(['argument', 'meaning'], argumentRows),
    own.length > 0 && '## Flags',
    own.length > 0 && table(['flag', 'meaning'], own.map(flagRow)),
    shared.length > 0 && "## kubectl's own flags",
    shared.length > 0 && table(['flag', 'meaning'], shared.map(flagRow)),
    '[All commands](README.md) · [Exit codes and JSON](../exit-codes-and-json.md)',
  ])
}

function usage(command: DocumentedCommand): string {
  const words = Object.values(command.args).map((arg) =>
    arg.required ? argumentOf(arg) : `[${argumentOf(arg)}]`,
  )
  const flags = Object.keys(command.flags).length > 0 ? ['[flags]'] : []
  return [callOf(command), ...words, ...flags].join(' ')
}

function argumentOf({ name, multiple }: ArgumentEntry): string {
  return `${name.toUpperCase()}${multiple ? '...' : ''}`
}

function exampleOf(
  example: string | { description: string; command: string },
  command: DocumentedCommand,
): string {
  const filled = (text: string) =>
    text
      .replaceAll('<%= config.bin %>', 'kubectl mig')
      .replaceAll('<%= command.id %>', command.id.replaceAll(':', ' '))
  if (typeof example === 'string') return fence('sh', filled(example))
  return `${example.description}:\n\n${fence('sh', filled(example.command))}`
}

function flagRow(flag: FlagEntry & { default?: unknown }): string[] {
  const { name, char, type, helpValue, options, allowNo, description = '' } = flag
  const value = type === 'boolean' ? '' : ` ${options?.join('|') ?? helpValue ?? 'VALUE'}`
  const names = `${char ? `-${char}, ` : ''}--${allowNo ? '[no-]' : ''}${name}${value}`
  const fallback = flag.default === undefined ? '' : ` (default ${code(String(flag.default))})`
  return [code(names), `${description}${fallback}`]
}

function callOf({ id }: DocumentedCommand): string {
  return `kubectl mig ${id.replaceAll(':', ' ')}`
}

function fileOf({ id }: DocumentedCommand): string {
  return `${id.replaceAll(':', '-')}.md`
}

function sections(parts: (string | false | undefined)[]): string {
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

function table(titles: string[], rows: string[][]): string {
  const line = (cells: string[]) =>
    `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n')
}

function code(text: string): string {
  return `\`${text}\``
}

function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}
