import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const ANYWHERE = '127.0.0.1'

/**
 * An address for each of a lab's nodes: 127.77.L.N where the system lets one bind all of 127.0.0.0/8 (Linux), else the
 * same one for all. L only keeps labs apart for the eye: ports are chosen free.
 */
export async function nodeAddresses(lab: string, nodes: number): Promise<string[]> {
  const own = 1 + (hash('sha1', lab, 'buffer').readUInt8(0) % 254)
  const wanted = Array.from({ length: nodes }, (_, i) => `127.77.${own}.${i + 1}`)
  const first = wanted[0]
  if (nodes <= 254 && first !== undefined && (await canBind(first))) return wanted
  return wanted.map(() => ANYWHERE)
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
