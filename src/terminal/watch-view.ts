import type { Format } from './output.ts'

/** What a `-w` shows of its changes. The terminal is given back by `close`. */
export interface WatchView<Change> {
  show(change: Change): Promise<void> | void
  close(): void
}

export interface WatchViewOptions {
  format: Format | undefined
  /** Hears of the connection where the answer has no place for it. */
  warn(line: string): void
  now: () => number
}

/** Shows changes until they end; the view is closed however that is. */
export async function showWatch<Change>(
  changes: AsyncIterable<Change>,
  view: WatchView<Change>,
): Promise<void> {
  try {
    for await (const change of changes) await view.show(change)
  } finally {
    view.close()
  }
}
