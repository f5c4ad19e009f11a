/** The last lines of one container, as a kubelet keeps them. */
export interface ContainerLog {
  /** @param now ms since the epoch */
  write(line: string, now: number): void
  /** What is kept of it, as asked for. */
  read(query: LogQuery, now: number): string[]
  /**
   * Calls with every new line, until the returned function is called or the container has ended, which `onEnd` tells:
   * at once where it has.
   */
  follow(query: LogQuery, onLine: (line: string) => void, onEnd: () => void): () => void
  /** The container has ended: no more lines. */
  end(): void
}

export interface LogQuery {
  tailLines?: number
  /** RFC 3339. */
  sinceTime?: string
  sinceSeconds?: number
  timestamps?: boolean
}

interface Line {
  at: number
  text: string
}

interface Follower {
  line(line: Line): void
  end(): void
}

const KEPT = 5000

export function containerLog(): ContainerLog {
  const lines: Line[] = []
  const followers = new Set<Follower>()
  let ended = false
  return {
    write(text, at) {
      const line = { at, text }
      lines.push(line)
      if (lines.length > KEPT) lines.shift()
      for (const follower of followers) follower.line(line)
    },
    read(query, now) {
      const from =
        query.sinceSeconds !== undefined
          ? now - query.sinceSeconds * 1000
          : query.sinceTime
            ? Date.parse(query.sinceTime)
            : 0
      const recent = lines.filter(({ at }) => at >= from)
      const last = query.tailLines === undefined ? recent : tail(recent, query.tailLines)
      return last.map((line) => shown(line, query))
    },
    follow(query, onLine, onEnd) {
      if (ended) {
        onEnd()
        return () => {}
      }
      const follower = { line: (line: Line) => onLine(shown(line, query)), end: onEnd }
      followers.add(follower)
      return () => followers.delete(follower)
    },
    end() {
      ended = true
      for (const follower of followers) follower.end()
      followers.clear()
    },
  }
}

function shown({ at, text }: Line, { timestamps }: LogQuery): string {
  return timestamps ? `${new Date(at).toISOString().replace('Z', '000000Z')} ${text}` : text
}

function tail<T>(list: readonly T[], count: number): readonly T[] {
  return list.slice(Math.max(0, list.length - count))
}
