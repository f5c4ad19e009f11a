import type { Clock } from '../../clock.ts'
import type { ProxyLog } from '../../proxy/log.ts'
import { createProxyManager, type ProxyManager } from '../../proxy/manager.ts'
import type { TlsProvider } from '../../proxy/tls.ts'

/** The proxies of a node's virt-handler, which picks its migration address once, as it starts. */
export interface NodeProxies {
  /** Where target listeners are reached. */
  readonly address: string
  readonly manager: ProxyManager
  /** virt-handler has been started anew: what ran through its proxies is cut. */
  restart(address: string): Promise<void>
  close(): Promise<void>
}

/** KubeVirt's proxies leave it to the kernel how long they dial (fact sheet data-plane.md §1.5). */
const KERNEL_DIAL_MS = 127_000

export function nodeProxies(options: {
  address: string
  tls: TlsProvider
  clock: Clock
  log: ProxyLog
}): NodeProxies {
  const { tls, clock, log } = options
  const limits = { dialMs: KERNEL_DIAL_MS }
  const open = (bind: string) => createProxyManager({ bind, tls, limits, clock, log })
  let { address } = options
  let manager = open(address)
  return {
    get address() {
      return address
    },
    get manager() {
      return manager
    },
    async restart(next) {
      const before = manager
      address = next
      manager = open(next)
      await before.close()
    },
    close: () => manager.close(),
  }
}
