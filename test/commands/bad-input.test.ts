import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { run as runCommand } from '@oclif/core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { stringify } from 'yaml'
import { describeError, loadConfig } from '../../src/cli.ts'
import type { MigError } from '../../src/errors.ts'
import { createAuthority } from '../../src/lab/certificates.ts'
import { file, run, words } from './run.ts'

/** One clear line, perhaps one that says what to do, nothing on stdout. */
function told({ stdout, stderr }: { stdout: string; stderr: string }): string {
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^error: [^\n]+\n(hint: [^\n]+\n)?$/)
  return stderr
}

const CONFIG = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'here',
  clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'u', user: { token: 't' } }],
  contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', namespace: 'demo' } }],
}

const kubeconfig = (change: (config: typeof CONFIG) => void = () => {}) => {
  const config = structuredClone(CONFIG)
  change(config)
  return file('config', stringify(config))
}

describe('a command line that cannot be meant is refused with 2', () => {
  test.each([
    ['migrate', 'no VM is named'],
    ['migrate vm-1 -l tier=web', 'a name excludes --selector'],
    ['migrate -l=', '-l: the selector is empty, and would move every VM'],
    ['migrate vm-1 --to-node=', '"": the name is missing'],
    ['migrate vm-1 --resume', '--resume needs --selector'],
    ['migrate vm-1 vm-2 --max-parallel 0', '--max-parallel: "0" is no number of VMs'],
    ['migrate vm-1 vm-2 --max-parallel 1 --no-wait', '--max-parallel excludes --no-wait'],
    ['migrate vm-1 --node-selector zone', '--node-selector: "zone" is no label of a node'],
    ['migrate vm-1 --to-node vm/x', '"vm/x" is a VM, which this command does not take'],
    ['migrate pod/x', '"pod/x": there is no kind "pod" here'],
    ['migrate vmim/x', '"vmim/x" is a migration, which this command does not take'],
    ['migrate node/x', '"node/x" is a node, which this command does not take'],
    ['status node/x', '"node/x" is a node, which this command does not take'],
    ['status -n A/B', '--namespace: "A/B" is no name of a namespace'],
    ['queue -n a.b', '--namespace: "a.b" is no name of a namespace'],
    ['migrate Vm_1', '"Vm_1" is no valid name'],
    ['migrate vm-1 --timeout soon', '--timeout: "soon" is no duration'],
    ['migrate vm-1 --request-timeout x', '--request-timeout: "x" is no duration'],
    ['migrate vm-1 --dry-run=maybe', 'Expected --dry-run=maybe to be one of: client, server'],
    ['migrate vm-1 --frobnicate', 'Nonexistent flag: --frobnicate'],
    ['cancel', 'missing argument '],
    ['cancel node/x', '"node/x" is a node, which this command does not take'],
    ['ports', 'missing argument '],
    ['ports vm-1 vm-2', 'Unexpected argument: vm-2'],
    ['status vm-1 -A', 'a name excludes --all-namespaces and --selector'],
    ['status vm-1 -l app=x', 'a name excludes --all-namespaces and --selector'],
    ['queue vm-1', 'unexpected argument "vm-1"'],
    ['queue -o wide', 'Expected --output=wide to be one of: json, yaml'],
    ['policy explain', 'missing argument '],
    ['policy explain vmim/x', '"vmim/x" is a migration, which this command does not take'],
    ['status -o xml', 'Expected --output=xml to be one of: json, yaml, wide'],
  ])('%s', async (line, message) => {
    const { exit, message: told } = await refusal(words(line))
    expect(exit).toBe(2)
    expect(told).toContain(message)
  })
})

test.each(['diagnose', 'diagnose proxy', 'status', 'cancel', 'migrate', 'ports', 'policy explain'])(
  '%s: an empty name, as of a variable that is not set, is none',
  async (command) => {
    const { exit, message } = await refusal([...words(command), ''])
    expect(exit).toBe(2)
    expect(message).toContain('the name is missing')
  },
)

describe('a kubeconfig that cannot be used is refused in one line', () => {
  test.each(['migrate vm-1', 'cancel vm-1', 'status', 'ports vm-1'])(
    '%s: not there',
    async (line) => {
      const ended = await run([...words(line), '--kubeconfig', '/nonexistent/config'])
      expect(ended.code).toBe(2)
      expect(told(ended)).toContain('/nonexistent/config')
    },
  )

  test('malformed: file and line are named', async () => {
    const path = file('config', 'apiVersion: v1\nclusters:\n- name: [c\nusers: []\n')
    const ended = await run(['migrate', 'vm-1', '--kubeconfig', path])
    expect(ended.code).toBe(2)
    expect(told(ended)).toMatch(new RegExp(`${path}:\\d`))
  })

  test('unknown context: the known ones are named', async () => {
    const ended = await run(['status', '--context', 'there'], { KUBECONFIG: kubeconfig() })
    expect(ended.code).toBe(2)
    expect(told(ended)).toMatch(/no context "there" in .*\nhint: .*: here\n$/)
  })

  test('certificate and key that do not match', async () => {
    const authority = await createAuthority('test', VALIDITY)
    const issue = () => authority.issue({ commonName: 'me', usage: ['client'], ...VALIDITY })
    const [one, other] = await Promise.all([issue(), issue()])
    const path = kubeconfig((config) => {
      Object.assign(config.users[0]!.user, {
        'client-certificate-data': Buffer.from(one.cert).toString('base64'),
        'client-key-data': Buffer.from(other.key).toString('base64'),
      })
    })
    const ended = await run(['migrate', 'vm-1', '--kubeconfig', path])
    expect(ended.code).not.toBe(0)
    const text = told(ended)
    expect(text).toMatch(/certificate.*key|key.*certificate/)
    expect(text).not.toContain('PRIVATE KEY')
  })
})

describe('a server that gives no answer is an error of 1', () => {
  test.each([
    'migrate vm-1',
    'cancel vm-1',
    'status',
    'status -w',
    'ports vm-1',
    'diagnose vm-1',
    'diagnose -A',
    'diagnose proxy vm-1',
  ])('%s: unreachable', async (line) => {
    const server = await closedPort()
    const path = kubeconfig((config) => {
      config.clusters[0]!.cluster.server = server
    })
    const ended = await run([...words(line), '--request-timeout', '5s', '--kubeconfig', path])
    expect(ended.code).toBe(1)
    expect(told(ended)).toContain(server)
  })

  test.each(['migrate vm-1', 'diagnose vm-1'])(
    '%s: silent: the time limit of a request ends it',
    async (line) => {
      const path = await silentServer()
      const flags = ['--request-timeout', '500ms', '--kubeconfig', path]
      const ended = await run([...words(line), ...flags])
      expect(ended.code).toBe(1)
      expect(told(ended)).toContain('within 0.5s')
    },
  )

  test('diagnose vm-1: of another authority: the hint is about that, not about roles', async () => {
    const authority = await createAuthority('other', VALIDITY)
    const pair = await authority.issue({
      commonName: 'server',
      usage: ['server'],
      names: ['127.0.0.1'],
      ...VALIDITY,
    })
    const server = createTlsServer(pair).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const path = kubeconfig((config) => {
      config.clusters[0]!.cluster.server = addressOf(server)
    })
    const ended = await run(['diagnose', 'vm-1', '--kubeconfig', path])
    expect(ended.code).toBe(1)
    expect(told(ended)).toMatch(
      /authority that the kubeconfig doesn't name.*\nhint: is certificate-/,
    )
  })
})

test.each([
  ['queue --context there -o json', 2],
  ['status --frobnicate -ojson', 2],
  ['ports vm-1 -o json', 1],
])('%s: with a format the error is the one document', async (line, exit) => {
  const server = await closedPort()
  const path = kubeconfig((config) => {
    config.clusters[0]!.cluster.server = server
  })
  const { code, stdout, stderr } = await run(words(line), { KUBECONFIG: path })
  const { kind, error } = JSON.parse(stdout)
  expect({ code, kind, exit: error.exit }).toEqual({ code: exit, kind: 'ErrorReport', exit })
  expect(stderr).toContain(`error: ${error.message}\n`)
})

const VALIDITY = {
  notBefore: Date.now() - 3_600_000,
  notAfter: Date.now() + 3_600_000,
}

/**
 * How a command line is refused, in this process: nothing is begun before it is understood. oclif loads the commands past
 * vitest, so their MigError is another class than ours here and is read by its fields.
 */
async function refusal(argv: string[]) {
  const config = await loadConfig(new URL('../../', import.meta.url), { fromSource: true })
  return runCommand(argv, config).then(
    () => expect.fail('it was not refused'),
    (err) =>
      err.name === 'MigError' ? (err as MigError) : describeError(err, argv, config.commandIDs),
  )
}

/** A port of this machine on which nobody listens any more. */
async function closedPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = addressOf(server)
  await new Promise((resolve) => server.close(resolve))
  return address
}

async function silentServer(): Promise<string> {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return kubeconfig((config) => {
    config.clusters[0]!.cluster.server = addressOf(server)
  })
}

function addressOf(server: Server): string {
  return `https://127.0.0.1:${(server.address() as { port: number }).port}`
}
