import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const ANYWHERE = '127.0.0.1'

/** Where a node is reached; both the same where the system has only one address to give. */
export interface NodeAddresses {
  pod: string
  /** On the migration network, where there is one. */
  migration: string
}

/**
 * Addresses for each of a lab's nodes: 127.77.L.N and 127.78.L.N where the system lets one bind all of 127.0.0.0/8
 * (Linux), else the same one for all. L only keeps labs apart for the eye: ports are chosen free.
 */
export async function nodeAddresses(lab: string, nodes: number): Promise<NodeAddresses[]> {
  const own = 1 + (hash('sha1', lab, 'buffer').readUInt8(0) % 254)
  const wanted = Array.from({ length: nodes }, (_, i) => ({
    pod: `127.77.${own}.${i + 1}`,
    migration: `127.78.${own}.${i + 1}`,
  }))
  const first = wanted[0]
  if (nodes <= 254 && first && (await canBind(first.pod)) && (await canBind(first.migration)))
    return wanted
  return wanted.map(() => ({ pod: ANYWHERE, migration: ANYWHERE }))
}

async function canBind(address: string): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(0, address)
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
