import { expect, test } from 'vitest'
import { proxyFromEnvironment } from '../../src/cluster/proxy-environment.ts'

const proxy = 'http://proxy:3128'

test.each([
  ['https://api.example.com:6443', { HTTPS_PROXY: proxy }, proxy],
  ['https://api.example.com:6443', { https_proxy: proxy }, proxy],
  ['https://api.example.com:6443', { HTTPS_PROXY: proxy, https_proxy: 'http://other' }, proxy],
  ['https://api.example.com:6443', { HTTPS_PROXY: 'proxy:3128' }, proxy],
  ['https://api.example.com:6443', { HTTP_PROXY: proxy }, undefined],
  ['http://api.example.com', { HTTP_PROXY: proxy }, proxy],
  ['https://api.example.com', { HTTPS_PROXY: '' }, undefined],
  ['https://api.example.com', {}, undefined],
  // Never for this machine itself.
  ['https://localhost:6443', { HTTPS_PROXY: proxy }, undefined],
  ['https://127.77.1.2:6443', { HTTPS_PROXY: proxy }, undefined],
  ['https://[::1]:6443', { HTTPS_PROXY: proxy }, undefined],
])('%s with %j goes through %s', (server, env, expected) => {
  expect(proxyFromEnvironment(new URL(server), env)).toBe(expected)
})

test.each([
  ['*', 'https://api.example.com', true],
  ['example.com', 'https://example.com', true],
  ['example.com', 'https://api.example.com', true],
  ['example.com', 'https://api.example.com.evil.org', false],
  ['example.com', 'https://myexample.com', false],
  ['.example.com', 'https://api.example.com', true],
  ['.example.com', 'https://example.com', false],
  ['*.example.com', 'https://api.example.com', true],
  ['EXAMPLE.com', 'https://api.example.COM', true],
  ['other.org, example.com', 'https://example.com', true],
  ['example.com:6443', 'https://example.com:6443', true],
  ['example.com:6443', 'https://example.com', false],
  ['example.com:443', 'https://example.com', true],
  ['10.0.0.1', 'https://10.0.0.1:6443', true],
  ['10.0.0.1', 'https://10.0.0.10:6443', false],
  ['10.0.0.0/8', 'https://10.200.3.4:6443', true],
  ['10.0.0.0/8', 'https://11.0.0.1:6443', false],
  ['10.0.0.0/8', 'https://ten.example.com', false],
  ['10.0.0.0/99', 'https://10.0.0.1', false],
  ['fd00::/8', 'https://[fd12::1]:6443', true],
  ['fd12::1', 'https://[fd12::1]:6443', true],
  ['fd12::1', 'https://[fd12::2]:6443', false],
  ['', 'https://example.com', false],
])('NO_PROXY=%s exempts %s: %s', (noProxy, server, exempt) => {
  const found = proxyFromEnvironment(new URL(server), { HTTPS_PROXY: proxy, NO_PROXY: noProxy })
  expect(found).toBe(exempt ? undefined : proxy)
})
