import { type ChildProcess, spawn } from 'node:child_process'
import { EXIT, MigError } from '../errors.ts'
import { checkKeyPair } from './key-pair.ts'
import type { ExecPlugin, Target } from './target.ts'

/** What a credential plugin or an identity provider gave. */
export interface IssuedCredential {
  token: string | undefined
  /** PEM. */
  cert: string | undefined
  /** PEM. */
  key: string | undefined
  /** ms since the epoch; Infinity when it doesn't say. */
  expires: number
}

export interface PluginSurroundings {
  env: NodeJS.ProcessEnv
  /** Whether a person sits at standard input. */
  interactive: boolean
}

/**
 * Runs a credential plugin as kubectl does (client-go credential plugins, v1 and v1beta1). An aborted signal kills it.
 * Throws MigError with the plugin's own last words, or its install hint when it isn't there.
 */
export async function runExecPlugin(
  plugin: ExecPlugin,
  target: Target,
  { env, interactive: possible }: PluginSurroundings,
  signal: AbortSignal,
): Promise<IssuedCredential> {
  const interactive = possible && plugin.interactiveMode !== 'Never'
  if (plugin.interactiveMode === 'Always' && !interactive)
    throw failed(plugin, 'it must talk to a person, and standard input is no terminal')
  const output = await run(plugin, interactive, signal, {
    ...env,
    ...Object.fromEntries(plugin.env.map(({ name, value }) => [name, value])),
    KUBERNETES_EXEC_INFO: JSON.stringify(execInfo(plugin, target, interactive)),
  })
  return readCredential(plugin, target, output)
}

/** The ExecCredential that tells the plugin what is wanted. */
function execInfo(plugin: ExecPlugin, { server }: Target, interactive: boolean): object {
  const cluster = {
    server: server.url,
    ...(server.tlsServerName && { 'tls-server-name': server.tlsServerName }),
    ...(server.skipTlsVerify && { 'insecure-skip-tls-verify': true }),
    ...(server.ca && { 'certificate-authority-data': Buffer.from(server.ca).toString('base64') }),
    ...(server.proxyUrl && { 'proxy-url': server.proxyUrl }),
    ...(server.execConfig !== undefined && { config: server.execConfig }),
  }
  return {
    kind: 'ExecCredential',
    apiVersion: plugin.apiVersion,
    spec: { ...(plugin.provideClusterInfo && { cluster }), interactive },
  }
}

function run(
  plugin: ExecPlugin,
  interactive: boolean,
  signal: AbortSignal,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  // A person at the terminal sees what the plugin says and can answer it; else its words are kept for the error.
  const child = spawn(plugin.command, plugin.args, {
    env,
    stdio: [interactive ? 'inherit' : 'ignore', 'pipe', interactive ? 'inherit' : 'pipe'],
  })
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  return new Promise<string>((resolve, reject) => {
    const stop = () => {
      abandon(child)
      reject(signal.reason)
    }
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    child.on('error', (err) => reject(notStarted(plugin, err)))
    child.on('close', (code, killedBy) => {
      signal.removeEventListener('abort', stop)
      if (code === 0) return resolve(stdout())
      const lastWords = stderr().trim().split('\n').slice(-3).join(' ')
      const how = killedBy ? `it was ended by ${killedBy}` : `it ended with exit code ${code}`
      reject(failed(plugin, lastWords ? `${how}: ${lastWords}` : how))
    })
  })
}

/** Kills it and lets go of its pipes, which its own children may hold open. */
function abandon(child: ChildProcess): void {
  child.kill('SIGKILL')
  child.stdout?.destroy()
  child.stderr?.destroy()
  child.unref()
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = []
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString('utf8')
}

function readCredential(plugin: ExecPlugin, { user }: Target, output: string): IssuedCredential {
  const credential = parse(plugin, output)
  if (credential.kind !== 'ExecCredential' || credential.apiVersion !== plugin.apiVersion) {
    throw failed(
      plugin,
      `it printed ${credential.kind} of ${credential.apiVersion}, not ExecCredential of ${plugin.apiVersion}`,
    )
  }
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } =
    credential.status ?? {}
  if (!token && !clientCertificateData)
    throw failed(plugin, 'it printed neither a token nor a client certificate')
  const from = `credential plugin ${plugin.command}`
  checkKeyPair(
    user.name ?? '',
    clientCertificateData ? { text: clientCertificateData, from } : undefined,
    clientKeyData ? { text: clientKeyData, from } : undefined,
  )
  return {
    token,
    cert: clientCertificateData,
    key: clientKeyData,
    expires: expirationTimestamp ? Date.parse(expirationTimestamp) : Number.POSITIVE_INFINITY,
  }
}

interface PluginOutput {
  kind?: string
  apiVersion?: string
  status?: {
    token?: string
    clientCertificateData?: string
    clientKeyData?: string
    expirationTimestamp?: string
  }
}

function parse(plugin: ExecPlugin, output: string): PluginOutput {
  try {
    return JSON.parse(output) ?? {}
  } catch {
    // The output itself may hold a token: it is not quoted.
    throw failed(plugin, 'what it printed is no JSON')
  }
}

function notStarted(plugin: ExecPlugin, err: NodeJS.ErrnoException): MigError {
  const why = err.code === 'ENOENT' ? 'it is not installed' : `it cannot be started: ${err.message}`
  return failed(plugin, why, plugin.installHint)
}

function failed(plugin: ExecPlugin, why: string, hint?: string): MigError {
  return new MigError(EXIT.error, `no credentials from plugin ${plugin.command}: ${why}`, {
    code: 'CREDENTIALPLUGIN',
    ...(hint && { hint }),
  })
}
