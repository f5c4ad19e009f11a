/** The last lines of one container, as a kubelet keeps them. */
export interface ContainerLog {
  /** @param now ms since the epoch */
  write(line: string, now: number): void
  /** What is kept of it, as asked for. */
  read(query: LogQuery, now: number): string[]
  /** Calls with every new line, until the returned function is called. */
  follow(query: LogQuery, onLine: (line: string) => void): () => void
}

export interface LogQuery {
  tailLines?: number
  /** RFC 3339. */
  sinceTime?: string
  sinceSeconds?: number
  timestamps?: boolean
}

const KEPT = 5000

export function containerLog(): ContainerLog {
  const lines: { at: number; text: string }[] = []
  const followers = new Set<(line: { at: number; text: string }) => void>()
  return {
    write(text, at) {
      const line = { at, text }
      lines.push(line)
      if (lines.length > KEPT) lines.shift()
      for (const follower of followers) follower(line)
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
    follow(query, onLine) {
      const follower = (line: { at: number; text: string }) => onLine(shown(line, query))
      followers.add(follower)
      return () => followers.delete(follower)
    },
  }
}

function shown({ at, text }: { at: number; text: string }, { timestamps }: LogQuery): string {
  return timestamps ? `${new Date(at).toISOString().replace('Z', '000000Z')} ${text}` : text
}

function tail<T>(list: readonly T[], count: number): readonly T[] {
  return list.slice(Math.max(0, list.length - count))
}
