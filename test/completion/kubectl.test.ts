import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { delimiter, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { connect } from '../../src/cluster/config.ts'
import { patch } from '../../src/cluster/objects.ts'
import { NODES, type Resource, VMIS } from '../../src/kubevirt/resources.ts'
import { findKubectl, type Kubectl, useKubectl } from '../lab/api/kubectl.ts'
import { type Stage, startStage } from '../lab/api/kubectl-stage.ts'

/** Real kubectl and bash against the lab's API server. */
const kubectlFile = findKubectl()
const bin = fileURLToPath(new URL('../../bin', import.meta.url))
const run = promisify(execFile)

let stage: Stage
let kubectl: Kubectl

beforeAll(async () => {
  stage = await startStage()
  const kubeconfig = stage.server.kubeconfig('admin', { namespace: 'demo' })
  const admin = await connect({ kubeconfigText: kubeconfig })
  const label = (resource: Resource, name: string, labels: Record<string, string>) =>
    patch(admin, resource, { namespace: 'demo', name }, { metadata: { labels } }, 'merge')
  for (const [name, tier] of Object.entries({ 'vm-1': 'web', 'vm-2': 'web', 'vm-3': 'db' }))
    await label(VMIS, name, { tier })
  await label(NODES, 'node-2', { zone: 'a' })
  await admin.close()
  kubectl = useKubectl(kubectlFile ?? process.execPath, { admin: kubeconfig }, 'admin')
})
afterAll(async () => {
  kubectl?.close()
  await stage?.close()
})

function environment() {
  const path = [bin, dirname(process.execPath), kubectl.env['PATH']].join(delimiter)
  return { ...kubectl.env, PATH: path, XDG_CACHE_HOME: kubectl.env['HOME'] }
}

/** What kubectl answers to a shell, line by line. */
async function answers(...words: string[]) {
  const { stdout } = await run('kubectl', ['__complete', 'mig', ...words], { env: environment() })
  return stdout.trimEnd().split('\n')
}

describe.skipIf(!kubectlFile)('through kubectl', () => {
  test('commands', async () => {
    expect(await answers('migr')).toEqual([
      'migrate\tMove VMs to other nodes and follow them to the end',
      ':4',
    ])
  })

  test('names of VMs, of those in flight, of migrations', async () => {
    expect(await answers('migrate', '')).toEqual([
      'vm-1\ton node-3',
      'vm-2\ton node-1',
      'vm-3\ton node-2',
      ':4',
    ])
    expect(await answers('cancel', '')).toEqual([
      'vm-2\tTargetReady (second)',
      'vm-3\tPending (third)',
      ':4',
    ])
    expect(await answers('status', 'vmim/f')).toEqual(['vmim/first\tvm-1: Succeeded', ':4'])
  })

  test('values of flags: namespaces, contexts, options, files', async () => {
    expect(await answers('migrate', '-n', 'de')).toEqual(['default', 'demo', ':4'])
    expect(await answers('migrate', '--context', 'adm')).toEqual(['admin', ':4'])
    expect(await answers('migrate', '--output=')).toEqual(['json', 'yaml', ':4'])
    expect(await answers('migrate', '--kubeconfig', '')).toEqual([':0'])
  })

  test('values of flags that the cluster knows: nodes, and labels of VMs and nodes', async () => {
    expect((await answers('migrate', '--to-node', '')).map((line) => line.split('\t')[0])).toEqual([
      'node-1',
      'node-2',
      'node-3',
      ':4',
    ])
    expect(await answers('migrate', '-l', 'ti')).toEqual(['tier=db\t1 VM', 'tier=web\t2 VMs', ':4'])
    expect(await answers('migrate', '--selector=tier=w')).toEqual(['tier=web\t2 VMs', ':4'])
    expect(await answers('migrate', 'vm-1', '--node-selector', 'zone=')).toEqual([
      'zone=a\t1 node',
      ':4',
    ])
  })

  test('the flags of the line say where to look', async () => {
    expect(await answers('migrate', '-n', 'default', '')).toEqual([':4'])
    expect(await answers('migrate', '--context', 'nosuch', '')).toEqual([':4'])
  })

  test('bash completes the one that fits, and lists those that do', async () => {
    expect(await bash('kubectl mig migrate --out')).toEqual(['--output'])
    expect(await bash('kubectl mig migrate vm-3')).toEqual(['vm-3'])
    expect(await bash('kubectl mig migrate --to-node node-2')).toEqual(['node-2'])
    // For bash a word begins anew after "="; kubectl's script knows that.
    expect(await bash('kubectl mig migrate -l tier=w')).toEqual(['web'])
    const listed = await bash('kubectl mig migrate vm-')
    expect(listed.map((line) => line.split(' ')[0])).toEqual(['vm-1', 'vm-2', 'vm-3'])
  })
})

test('a server that does not answer costs at most a moment, and nothing is said', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const kubeconfig = stage.server
    .kubeconfig('admin')
    .replace(/server: .*/, `server: http://127.0.0.1:${port}`)
  const silent = useKubectl(process.execPath, { admin: kubeconfig }, 'admin')
  onTestFinished(silent.close)
  const { stdout, stderr } = await run(
    process.execPath,
    [fileURLToPath(new URL('../../bin/kubectl_complete-mig', import.meta.url)), 'migrate', ''],
    { env: { ...environment(), ...silent.env }, timeout: 10_000 },
  )
  expect(stdout).toBe(':4\n')
  expect(stderr).toBe('')
})

/** What bash would offer at the end of a line, by kubectl's own script. */
async function bash(line: string): Promise<string[]> {
  const words = line.split(' ')
  const script = [
    // What the package bash-completion brings.
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash.
    '_get_comp_words_by_ref() { cur=${COMP_WORDS[COMP_CWORD]}; prev=${COMP_WORDS[COMP_CWORD-1]}; words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; }',
    // Can only be called while a person completes.
    'compopt() { :; }',
    'source <(kubectl completion bash)',
    `COMP_WORDS=(${words.join(' ')}) COMP_CWORD=${words.length - 1} COMP_TYPE=63`,
    `COMP_LINE='${line}' COMP_POINT=${line.length}`,
    '__start_kubectl',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash.
    'printf "%s\\n" "${COMPREPLY[@]}"',
  ]
  const { stdout } = await run('bash', ['-c', script.join('\n')], { env: environment() })
  return stdout.split('\n').filter((reply) => reply !== '')
}
