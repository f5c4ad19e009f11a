import { createLiveView } from './live.ts'
import { neutral } from './neutral.ts'
import type { Terminal } from './terminal.ts'

/** What `-w` shows on a terminal: something that changes in its place, until it is closed. */
export interface LiveContent {
  /** From now on it is this; asked for again each second, because times run. */
  show(content: () => string[]): void
  /** Stands above it until the connection is back: undefined. */
  lost(message: string | undefined): void
  /** The last view stays. Idempotent. */
  close(): void
}

/** How often running times are drawn anew. ms. */
const TICK = 1000

export function createLiveContent(terminal: Terminal): LiveContent {
  const view = createLiveView(terminal)
  let current: (() => string[]) | undefined
  let notice: string[] = []
  const draw = () => {
    if (current) view.draw([...notice, ...current()])
  }
  const timer = setInterval(draw, TICK)
  return {
    show(content) {
      current = content
      draw()
    },
    lost(message) {
      notice = message === undefined ? [] : [terminal.theme.warn(neutral(lostText(message)))]
      draw()
    },
    close() {
      clearInterval(timer)
      draw()
      view.close()
    },
  }
}

export function lostText(message: string): string {
  return `connection lost, trying again: ${message}`
}

export const BACK = 'connection is back'
