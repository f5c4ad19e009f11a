/**
 * Finds any of many short strings in bytes in one pass (Aho-Corasick as a table), at memory speed: what lets a
 * gigabyte of logs be searched for a few hundred known messages in seconds.
 */
export interface Anchors {
  /** The position after the first anchor that ends in `bytes[from..to)`, or -1. */
  search(bytes: Uint8Array, from: number, to: number): number
}

export function compileAnchors(anchors: readonly string[]): Anchors {
  const words = [...new Set(anchors)].map((anchor) => Buffer.from(anchor, 'utf8'))
  if (words.some((word) => word.length === 0)) throw new Error('an anchor is empty')
  const { classOf, classes } = byteClasses(words)
  const { next, accepting } = automaton(words, classOf, classes)

  return {
    search(bytes, from, to) {
      let state = 0
      for (let i = from; i < to; i++) {
        state = next[state + classOf[bytes[i]!]!]!
        if (state >= accepting) return i + 1
      }
      return -1
    },
  }
}

/** Bytes that no anchor holds are one class; the table stays small enough for the cache. */
function byteClasses(words: Buffer[]): { classOf: Uint8Array; classes: number } {
  const classOf = new Uint8Array(256)
  let classes = 1
  for (const word of words)
    for (const byte of word) if (classOf[byte] === 0) classOf[byte] = classes++
  return { classOf, classes }
}

/**
 * States are offsets into `next` (already multiplied by the number of classes); the accepting ones are numbered last,
 * so that one comparison tells them.
 */
function automaton(words: Buffer[], classOf: Uint8Array, classes: number) {
  const children: (Map<number, number> | undefined)[] = [new Map()]
  const accepts = [false]
  for (const word of words) {
    let node = 0
    for (const byte of word) {
      const edges = children[node]!
      const known = edges.get(classOf[byte]!)
      if (known !== undefined) node = known
      else {
        edges.set(classOf[byte]!, children.length)
        node = children.length
        children.push(new Map())
        accepts.push(false)
      }
    }
    accepts[node] = true
  }

  const count = children.length
  const goto = new Int32Array(count * classes)
  const fail = new Int32Array(count)
  const queue: number[] = []
  for (const [cls, child] of children[0]!) {
    goto[cls] = child
    queue.push(child)
  }
  for (let head = 0; head < queue.length; head++) {
    const node = queue[head]!
    accepts[node] ||= accepts[fail[node]!]!
    for (let cls = 0; cls < classes; cls++) {
      const child = children[node]!.get(cls)
      const viaFail = goto[fail[node]! * classes + cls]!
      if (child === undefined) goto[node * classes + cls] = viaFail
      else {
        fail[child] = viaFail
        goto[node * classes + cls] = child
        queue.push(child)
      }
    }
  }

  const order = [...accepts.keys()].sort((a, b) => Number(accepts[a]) - Number(accepts[b]) || a - b)
  const place = new Int32Array(count)
  for (const [position, node] of order.entries()) place[node] = position
  const next = new Int32Array(count * classes)
  for (let node = 0; node < count; node++)
    for (let cls = 0; cls < classes; cls++)
      next[place[node]! * classes + cls] = place[goto[node * classes + cls]!]! * classes
  return { next, accepting: (count - accepts.filter(Boolean).length) * classes }
}
