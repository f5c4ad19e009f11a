/**
 * A list in JSON, of its items only those that are to be kept. Each is parsed by itself as it comes and dropped at once if
 * it is of no use, so that a long list takes as little memory as a short one: a page that is parsed whole is old before
 * it is looked at, and stays until V8 looks among the old.
 * @param keep sees whatever stands in the list, of any type
 * @returns undefined for no text at all
 * @throws SyntaxError when it is no JSON
 */
export async function parseList(
  texts: AsyncIterable<string>,
  keep: (item: unknown) => boolean,
): Promise<unknown> {
  const items: unknown[] = []
  /** The list without its items; and what has come of the item that is open. */
  let envelope = ''
  let open = ''
  let inItems = false
  let depth = 0
  let inString = false
  let escaped = false

  for await (const text of texts) {
    /** What stands before it has been taken. */
    let from = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (inString) {
        if (escaped) escaped = false
        else if (code === BACKSLASH) escaped = true
        else if (code === QUOTE) inString = false
      } else if (code === QUOTE) inString = true
      else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        depth++
        if (depth === 2 && code === OPEN_BRACKET && ITEMS.test(envelope + text.slice(from, at))) {
          inItems = true
          envelope += text.slice(from, at + 1)
        } else if (inItems && depth === 3) from = at
      } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        depth--
        if (inItems && depth === 2) {
          const item = JSON.parse(open + text.slice(from, at + 1))
          open = ''
          if (keep(item)) items.push(item)
        } else if (inItems && depth === 1) {
          inItems = false
          from = at
        }
      }
    }
    if (!inItems) envelope += text.slice(from)
    else if (depth > 2) open += text.slice(from)
  }
  if (envelope === '') return undefined
  const list = JSON.parse(envelope)
  return items.length > 0 ? { ...list, items } : list
}

/** What stands before the items. */
const ITEMS = /"items"\s*:\s*$/

const QUOTE = 0x22
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
