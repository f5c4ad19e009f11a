// Renews the documentation (npm run docs): the pages made from the commands, the transcripts in the README, the
// pictures. Transcripts and pictures are real runs on labs of their own, under script(1) of util-linux.
// Words limit it: "pages", "readme", "pictures", or the name of a picture.
import { fileURLToPath } from 'node:url'
import { renewPictures } from './docs/pictures.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const words = process.argv.slice(2)
await renewPictures(root, words)
