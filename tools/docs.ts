// Renews the documentation (npm run docs): the pages made from the commands, the transcripts in the README, the
// pictures. Transcripts and pictures are real runs on labs of their own, under script(1) of util-linux.
// Words limit it: "pages", "readme", "pictures", or names of pictures.
import { fileURLToPath } from 'node:url'
import { renewCommandPages } from './docs/command-pages.ts'
import { renewPictures } from './docs/pictures.ts'
import { renewScenarioPage } from './docs/scenario-page.ts'
import { SCENES } from './docs/scenes.ts'
import { renewTranscripts } from './docs/transcript.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const words = process.argv.slice(2)
const wanted = (word: string) => words.length === 0 || words.includes(word)

if (wanted('pages')) {
  await renewCommandPages(root)
  await renewScenarioPage(root)
}
if (wanted('readme')) await renewTranscripts(root, 'README.md')
await renewPictures(
  root,
  SCENES.filter(({ name }) => wanted(name) || wanted('pictures')),
)
