/**
 * Makes a text from a cluster safe to show on one line of a terminal. Names and messages are written by others: an
 * escape sequence, a carriage return or a change of writing direction in them must not act, it is shown as `\x1b`,
 * `\u202e`. Line breaks and tabs become spaces.
 */
export function neutral(text: string): string {
  return text.replace(/\s*[\r\n\t\v\f\u2028\u2029]+\s*/g, ' ').replace(ACTIVE, escaped)
}

/** C0, DEL, C1; marks that change the writing direction; the byte order mark. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is for.
const ACTIVE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g

function escaped(char: string): string {
  const code = char.charCodeAt(0)
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`
}
