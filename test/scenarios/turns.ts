/** Lets so many go at a time: who has waited for its turn ends it by what it gets. */
export function turns(atOnce: number): () => Promise<() => void> {
  const waiting: (() => void)[] = []
  let free = atOnce
  const end = () => {
    const next = waiting.shift()
    if (next) next()
    else free++
  }
  return async () => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    return end
  }
}
