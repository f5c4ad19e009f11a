import { expect, test } from 'vitest'
import { parseKubeconfig, readKubeconfigs } from '../../src/cluster/kubeconfig.ts'
import { MigError } from '../../src/errors.ts'
import { testFolder } from './folder.ts'

test.each([
  ['a tab', 'clusters:\n\t- name: a\n', 'kc:2: '],
  ['an open quote', 'current-context: "x\n', 'kc:'],
  ['a key twice', 'clusters: []\nusers: []\nclusters: []\n', 'kc:3: Map keys must be unique'],
  ['no map', '- a\n', 'kc:1: a kubeconfig is a map of clusters, users and contexts'],
  ['a sentence', 'not found\n', 'kc:1: a kubeconfig is a map of clusters, users and contexts'],
  ['clusters as a map', 'clusters:\n  a: {}\n', 'kc:2: "clusters" must be a list'],
  [
    'a user as a word',
    'users:\n- admin\n',
    'kc:2: each of "users" must be a map of "name" and "user"',
  ],
  ['a context has no name', 'contexts:\n- context: {}\n', 'kc:2: a context has no name'],
  [
    'a cluster that is a word',
    'clusters:\n- name: a\n  cluster: b\n',
    'kc:3: "cluster" of "a" must be a map',
  ],
  [
    'a current context of a list',
    'current-context: [a]\n',
    'kc:1: "current-context" must be a string',
  ],
])('malformed: %s is one error with file and line', (_, text, message) => {
  const parse = () => parseKubeconfig(text, 'kc')
  expect(parse).toThrow(MigError)
  expect(parse).toThrow(`malformed kubeconfig: ${message}`)
  expect(parse).toThrow(expect.objectContaining({ exit: 2, code: 'KUBECONFIG' }))
})

test.each([
  ['empty', ''],
  ['a comment', '# nothing\n'],
  ['of nulls', 'clusters: null\nusers:\ncontexts: ~\ncurrent-context: ""\n'],
])('a kubeconfig that is %s names nothing', (_, text) => {
  const config = parseKubeconfig(text, 'kc')
  expect([config.clusters.size, config.users.size, config.contexts.size]).toEqual([0, 0, 0])
  expect(config.currentContext).toBeUndefined()
})

test('an entry knows the line of each of its fields', () => {
  const text = 'clusters:\n- name: a\n  cluster:\n    server: https://x\n    tls-server-name: y\n'
  const cluster = parseKubeconfig(text, 'kc').clusters.get('a')!
  expect(cluster.at()).toBe('kc:2')
  expect(cluster.at('tls-server-name')).toBe('kc:5')
  expect(cluster.at('not there')).toBe('kc:2')
})

test('anchors are followed', () => {
  const text = 'users: [{name: a, user: &u {token: t}}, {name: b, user: *u}]'
  expect(parseKubeconfig(text, 'kc').users.get('b')?.fields).toEqual({ token: 't' })
})

test('of several files the first to name something wins, and missing ones are skipped', () => {
  const folder = testFolder()
  const entry = (name: string, server: string) =>
    `clusters: [{name: ${name}, cluster: {server: ${server}}}]\n`
  const files = [
    `${folder.path}/missing`,
    folder.write('one', `${entry('a', 'first')}`),
    folder.write('two', `${entry('a', 'second')}current-context: from-two\n`),
    folder.write('three', `${entry('b', 'third')}current-context: from-three\n`),
  ]
  const config = readKubeconfigs(files)
  expect(config.clusters.get('a')?.fields).toEqual({ server: 'first' })
  expect(config.clusters.get('b')?.fields).toEqual({ server: 'third' })
  expect(config.currentContext).toBe('from-two')
  expect(config.files).toEqual(files.slice(1))
})

test('within one file, too, the first of a name wins', () => {
  const config = parseKubeconfig(
    'users: [{name: u, user: {token: a}}, {name: u, user: {token: b}}]',
    'kc',
  )
  expect(config.users.get('u')?.fields).toEqual({ token: 'a' })
})

test('a file that was asked for must be there and readable', () => {
  const folder = testFolder()
  expect(() => readKubeconfigs([`${folder.path}/missing`], { required: true })).toThrow(
    /missing.*no such file/,
  )
  expect(() => readKubeconfigs([folder.path])).toThrow(/it is a folder/)
})
