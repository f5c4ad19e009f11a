import type { Connection } from './connection.ts'
import type { ProxyLog } from './log.ts'

interface Listener {
  connections(): Connection[]
  close(): Promise<void>
}

/** Listeners by key; those of one key come and go together. */
export interface Groups<L extends Listener> {
  /**
   * Makes a key's listeners what is wished for; the same wish again changes nothing.
   * Either all are opened or, when that fails, none is.
   */
  replace(key: string, wish: unknown, open: (() => Promise<L>)[]): Promise<void>
  stop(key: string): Promise<void>
  stopAll(): Promise<void>
  of(key: string): L[]
  count(): number
  connections(): Connection[]
}

export function createGroups<L extends Listener>(
  log: ProxyLog,
  messages: { stopped: string; replaced: string },
): Groups<L> {
  const groups = new Map<string, { wish: string; listeners: L[] }>()

  const stop = async (key: string, msg: string) => {
    const group = groups.get(key)
    if (!group) return
    groups.delete(key)
    for (const _ of group.listeners) log({ level: 'info', msg, uid: key })
    await closeAll(group.listeners)
  }

  return {
    async replace(key, wanted, open) {
      const wish = JSON.stringify(wanted)
      if (groups.get(key)?.wish === wish) return
      await stop(key, messages.replaced)
      groups.set(key, { wish, listeners: await openAll(open) })
    },
    stop: (key) => stop(key, messages.stopped),
    async stopAll() {
      await Promise.all([...groups.keys()].map((key) => stop(key, messages.stopped)))
    },
    of: (key) => groups.get(key)?.listeners ?? [],
    count: () => groups.size,
    connections: () =>
      [...groups.values()].flatMap(({ listeners }) => listeners.flatMap((l) => l.connections())),
  }
}

async function openAll<L extends Listener>(open: (() => Promise<L>)[]): Promise<L[]> {
  const opened: L[] = []
  try {
    for (const one of open) opened.push(await one())
    return opened
  } catch (err) {
    await closeAll(opened)
    throw err
  }
}

/** Backwards: the first has made what the others stand on. */
async function closeAll(listeners: Listener[]): Promise<void> {
  for (const listener of listeners.toReversed()) await listener.close()
}
