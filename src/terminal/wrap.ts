import { widthOf } from './width.ts'

/** Breaks a text at spaces into lines of at most `columns`; a word that is longer stays whole. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (word === '') continue
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > columns) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return line === '' ? lines : [...lines, line]
}
