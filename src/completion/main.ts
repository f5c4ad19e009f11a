import { readFile } from 'node:fs/promises'
import { type Completion, complete } from './candidates.ts'
import { createLookUp } from './look-up.ts'

/** cobra's directives: what a shell does besides. */
const DIRECTIVE = { files: 0, noFiles: 4 }

/**
 * Answers kubectl when someone presses Tab: kubectl runs `kubectl_complete-mig` with the words after `kubectl mig` and
 * reads candidates, each with a tab and its description, and a last line with a directive. Loads neither oclif nor any
 * command: all that it needs of them is in the manifest.
 * @param root the package's folder, as a file URL
 */
export async function main(words: string[], root: URL): Promise<void> {
  const read = async (name: string) => JSON.parse(await readFile(new URL(name, root), 'utf8'))
  const [manifest, { oclif }] = await Promise.all([
    read('oclif.manifest.json'),
    read('package.json'),
  ])
  const topics = Object.entries<{ description: string }>(oclif.topics)
  const completion = await complete(words, manifest, {
    topics: Object.fromEntries(topics.map(([name, { description }]) => [name, description])),
    lookUp: createLookUp(process.env),
  })
  process.stdout.write(answer(completion))
}

function answer({ candidates, files }: Completion): string {
  const lines = candidates.map(({ value, description }) =>
    description ? `${value}\t${oneLine(description)}` : value,
  )
  return [...lines, `:${files ? DIRECTIVE.files : DIRECTIVE.noFiles}`, ''].join('\n')
}

/** Some of it comes from a cluster: nothing in it may steer the terminal. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}
