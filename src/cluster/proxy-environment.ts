import { BlockList, isIP } from 'node:net'

/**
 * The proxy that HTTPS_PROXY (HTTP_PROXY for an http server) names, unless NO_PROXY or a loopback address exempts the
 * host; kubectl's rules (Go's httpproxy): `*`, names and the names below them, addresses, CIDR ranges, each with a port or without.
 */
export function proxyFromEnvironment(server: URL, env: NodeJS.ProcessEnv): string | undefined {
  const read = (name: string) => env[name] || env[name.toLowerCase()] || undefined
  const proxy = read(server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY')
  if (proxy === undefined || isExempt(server, read('NO_PROXY') ?? '')) return undefined
  return proxy.includes('://') ? proxy : `http://${proxy}`
}

function isExempt(server: URL, noProxy: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, '').toLowerCase()
  const port = server.port || (server.protocol === 'https:' ? '443' : '80')
  if (host === 'localhost' || isLoopback(host)) return true
  return noProxy
    .split(',')
    .map((rule) => rule.trim().toLowerCase())
    .filter((rule) => rule !== '')
    .some((rule) => matches(rule, host, port))
}

function matches(rule: string, host: string, port: string): boolean {
  if (rule === '*') return true
  if (rule.includes('/')) return isIP(host) !== 0 && inRange(rule, host)
  const [, name, onlyPort] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(isIP(rule) === 6 ? `[${rule}]` : rule)!
  if (onlyPort !== undefined && onlyPort !== port) return false
  if (isIP(host) !== 0) return name === host
  const domain = name!.replace(/^\*?\./, '')
  // ".example.com" means the names below it only; "example.com" means itself as well.
  return host.endsWith(`.${domain}`) || (domain === name && host === domain)
}

function isLoopback(host: string): boolean {
  return host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

function inRange(cidr: string, address: string): boolean {
  const [network = '', prefix = ''] = cidr.split('/')
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4'
  const most = family === 'ipv6' ? 128 : 32
  if (isIP(network) === 0 || !/^\d+$/.test(prefix) || Number(prefix) > most) return false
  const list = new BlockList()
  list.addSubnet(network, Number(prefix), family)
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
