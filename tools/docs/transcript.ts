import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withLab } from './lab.ts'
import { record } from './record.ts'
import { textOf } from './screen.ts'
import { createSteady } from './steady.ts'

/** As wide as a code block of a page is shown. */
const COLUMNS = 100

/**
 * Runs every ```console block of a page, the first lines of which start with "$ ", and puts in what it printed at a
 * terminal. The blocks of a page share a home, in which the page itself starts and ends the lab called "lab".
 * A block must end with exit code 0: it shows another with `echo $?`. What a reader has to do before it stands in
 * ```sh before blocks, which run too and are left as they are; a comment `<!-- before: sleep 2 -->` above a block stands for
 * the time that a reader takes.
 */
export async function renewTranscripts(root: string, page: string): Promise<void> {
  const file = join(root, page)
  const parts = (await readFile(file, 'utf8')).split(/^(```(?:console|sh before)\n[\s\S]*?^```$)/m)
  await withLab(root, undefined, async ({ env, folder }) => {
    const steady = createSteady(Date.now())
    const bash = (text: string) => promisify(execFile)('bash', ['-c', text], { env, cwd: root })
    for (const [i, part] of parts.entries()) {
      if (i % 2 === 0) continue
      if (part.startsWith('```sh')) {
        await bash(part.split('\n').slice(1, -1).join('\n'))
        continue
      }
      const lines = part.split('\n').filter((line) => line.startsWith('$ '))
      const [, before] = /<!-- before: (.*) -->\n$/.exec(parts[i - 1] ?? '') ?? []
      if (before) await bash(before)
      const frames = await record(scriptOf(lines), {
        env,
        cwd: root,
        columns: COLUMNS,
        unwrapped: true,
      })
      const seen = frames.at(-1)!.rows.map(textOf).join('\n')
      parts[i] = `\`\`\`console\n${steady(seen).replaceAll(folder, '/home/me')}\n\`\`\``
    }
  })
  await writeFile(file, parts.join(''))
}

/** Shows each command before it runs it, with the exit code of the one before for `$?`. */
function scriptOf(lines: string[]): string {
  return lines
    .map((line) => {
      const shown = line.replaceAll("'", "'\\''")
      return `code=$?; printf '%s\\n' '${shown}'; (exit $code)\n${line.slice(2)}`
    })
    .join('\n')
}
