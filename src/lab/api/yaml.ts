import { isMap, isScalar, LineCounter, parseDocument, type Tags, visit } from 'yaml'

/** What a YAML text says, and which of it twice: `line 3: key "name" already set in map`. */
export interface YamlText {
  value: unknown
  again: string[]
}

/**
 * Reads YAML as Go's library does: by version 1.1 (`yes` is true), times stay texts, of what is said twice the last holds.
 * @throws Error `line 3: …` for a text that is none
 */
export function readYaml(text: string): YamlText {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    version: '1.1',
    schema: 'yaml-1.1',
    customTags: withoutTimes,
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
  })
  const [fault] = document.errors
  if (fault) throw new Error(`line ${lines.linePos(fault.pos[0]).line}: ${fault.message}`)
  const again: string[] = []
  visit(document, {
    Map(_, map) {
      if (!isMap(map)) return
      const seen = new Set<unknown>()
      for (const { key } of map.items) {
        if (!isScalar(key)) continue
        if (seen.has(key.value))
          again.push(
            `line ${lines.linePos(key.range?.[0] ?? 0).line}: key ${JSON.stringify(key.value)} already set in map`,
          )
        seen.add(key.value)
      }
    },
  })
  return { value: document.toJS(), again }
}

function withoutTimes(tags: Tags): Tags {
  return tags.filter((tag) => typeof tag === 'string' || tag.tag !== 'tag:yaml.org,2002:timestamp')
}
