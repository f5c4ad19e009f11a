import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import type { LabNetwork } from '../../../src/lab/lab.ts'

const run = promisify(execFile)

/** Nodes in network namespaces of their own, and a hub between them with the API server; nothing else is reached. */
export interface Namespaces {
  /** Where the lab itself runs, and whoever asks it. */
  hub: string
  lab: LabNetwork
  /** Runs `ip` about a node: `link set migration0 down`. */
  ip(node: string, ...args: string[]): Promise<void>
  /** Filters what a node takes from the migration network; without rules, nothing is filtered any more. */
  filter(node: string, ...rules: string[]): Promise<void>
  close(): Promise<void>
}

/** Addresses that are nobody's (RFC 5737): pods in the first network, migrations in the second. */
const POD = '192.0.2'
const MIGRATION = '198.51.100'

/** Why there can be none here; undefined when there can. */
export function obstacle(): string | undefined {
  if (process.platform !== 'linux') return 'network namespaces are Linux'
  if (process.getuid?.() !== 0) return 'network namespaces need root'
  for (const [program, name] of [
    ['ip', 'iproute2'],
    ['ss', 'iproute2'],
    ['nft', 'nftables'],
  ])
    try {
      execFileSync(program!, ['-V'], { stdio: 'ignore' })
    } catch {
      return `${program} is not installed (apt-get install ${name})`
    }
  try {
    execFileSync('unshare', ['-n', 'true'], { stdio: 'ignore' })
  } catch {
    return 'this system makes no network namespaces'
  }
  return undefined
}

export async function makeNamespaces(nodes: number): Promise<Namespaces> {
  const prefix = `mig-${process.pid}`
  const hub = `${prefix}-hub`
  const names = Array.from({ length: nodes }, (_, i) => `${prefix}-node-${i + 1}`)
  const made: string[] = []
  const close = async () => {
    // With a namespace go its interfaces, and with one end of a pair the other.
    for (const name of made.splice(0)) await run('ip', ['netns', 'del', name]).catch(() => {})
  }
  const inside = (name: string, line: string) => run('ip', ['-n', name, ...line.split(' ')])
  try {
    for (const name of [hub, ...names]) {
      await run('ip', ['netns', 'add', name])
      made.push(name)
      await inside(name, 'link set lo up')
    }
    for (const [bridge, address] of [
      ['pods', `${POD}.254`],
      ['moves', `${MIGRATION}.254`],
    ]) {
      await inside(hub, `link add ${bridge} type bridge`)
      await inside(hub, `addr add ${address}/24 dev ${bridge}`)
      await inside(hub, `link set ${bridge} up`)
    }
    for (const [i, name] of names.entries())
      for (const [bridge, device, address] of [
        ['pods', 'eth0', `${POD}.${i + 1}`],
        ['moves', 'migration0', `${MIGRATION}.${i + 1}`],
      ]) {
        const port = `${bridge}-${i + 1}`
        await inside(hub, `link add ${port} type veth peer name ${device} netns ${name}`)
        await inside(hub, `link set ${port} master ${bridge} up`)
        await inside(name, `addr add ${address}/24 dev ${device}`)
        await inside(name, `link set ${device} up`)
      }
  } catch (err) {
    await close()
    throw err
  }
  return {
    hub,
    lab: {
      apiAddress: `${POD}.254`,
      nodes: names.map((name, i) => ({
        addresses: { pod: `${POD}.${i + 1}`, migration: `${MIGRATION}.${i + 1}` },
        enter: ['ip', 'netns', 'exec', name],
      })),
    },
    async ip(node, ...args) {
      await run('ip', ['-n', `${prefix}-${node}`, ...args])
    },
    async filter(node, ...rules) {
      const nft = (...lines: string[]) =>
        run('ip', ['netns', 'exec', `${prefix}-${node}`, 'nft', lines.join('\n')])
      await nft('add table inet test', 'delete table inet test')
      if (rules.length === 0) return
      const others = 'iifname != "migration0" accept'
      await nft(
        'table inet test {',
        'set open { type inet_service; size 1; flags dynamic; }',
        'chain input {',
        'type filter hook input priority 0',
        others,
        ...rules,
        '}',
        '}',
      )
    },
    close,
  }
}
