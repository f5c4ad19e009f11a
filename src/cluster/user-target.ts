import { isAbsolute, join } from 'node:path'
import { fileField, mapField, pemField, textField, textListField } from './entry-fields.ts'
import { checkKeyPair } from './key-pair.ts'
import { type Entry, malformed } from './kubeconfig.ts'
import { ANONYMOUS, type ExecPlugin, type Impersonation, type UserTarget } from './target.ts'

/** A user of a kubeconfig, read and checked; no context user is anonymous. */
export function readUser(user: Entry | undefined): UserTarget {
  if (!user) return ANONYMOUS
  const cert = pemField(user, 'client-certificate')
  const key = pemField(user, 'client-key')
  checkKeyPair(user.name, cert, key)
  const username = textField(user, 'username')
  return {
    name: user.name,
    cert: cert?.text,
    key: key?.text,
    token: textField(user, 'token'),
    tokenFile: fileField(user, 'tokenFile'),
    basic:
      username === undefined
        ? undefined
        : { username, password: textField(user, 'password') ?? '' },
    exec: readExec(user),
    authProvider: readAuthProvider(user),
    impersonate: readImpersonation(user),
  }
}

function readExec(user: Entry): ExecPlugin | undefined {
  const exec = mapField(user, 'exec')
  if (!exec) return undefined
  // The plugin's fields, which say in errors where "exec" stands.
  const entry: Entry = { ...user, fields: exec, at: () => user.at('exec') }
  const command = textField(entry, 'command')
  if (command === undefined)
    throw malformed(entry.at(), `"exec" of user "${user.name}" has no "command"`)
  const interactiveMode = textField(entry, 'interactiveMode') ?? 'IfAvailable'
  if (!isInteractiveMode(interactiveMode))
    throw malformed(entry.at(), '"interactiveMode" must be Never, IfAvailable or Always')
  return {
    apiVersion: readApiVersion(entry),
    // As in kubectl: a bare name is looked up in the PATH, a path counts from the kubeconfig.
    command: /[/\\]/.test(command) && !isAbsolute(command) ? join(user.folder, command) : command,
    args: textListField(entry, 'args'),
    env: readEnv(entry),
    installHint: textField(entry, 'installHint')?.trim(),
    provideClusterInfo: exec['provideClusterInfo'] === true,
    interactiveMode,
  }
}

function readApiVersion(exec: Entry): string {
  const apiVersion = textField(exec, 'apiVersion') ?? ''
  if (/^client\.authentication\.k8s\.io\/v1(beta1)?$/.test(apiVersion)) return apiVersion
  throw malformed(
    exec.at(),
    `"exec" needs apiVersion client.authentication.k8s.io/v1 or /v1beta1, not "${apiVersion}"`,
  )
}

function readEnv(exec: Entry): { name: string; value: string }[] {
  const env = exec.fields['env'] ?? []
  const valid = (item: unknown) =>
    typeof (item as { name?: unknown })?.name === 'string' &&
    typeof (item as { value?: unknown }).value === 'string'
  if (!Array.isArray(env) || !env.every(valid))
    throw malformed(exec.at(), '"env" of "exec" must be a list of maps with "name" and "value"')
  return env
}

function isInteractiveMode(mode: string): mode is ExecPlugin['interactiveMode'] {
  return mode === 'Never' || mode === 'IfAvailable' || mode === 'Always'
}

function readAuthProvider(user: Entry): UserTarget['authProvider'] {
  const provider = mapField(user, 'auth-provider')
  if (!provider) return undefined
  const { name, config } = provider
  if (typeof name !== 'string')
    throw malformed(user.at('auth-provider'), '"auth-provider" needs a "name"')
  return { name, config: (config ?? {}) as Record<string, string> }
}

function readImpersonation(user: Entry): Impersonation {
  const extra = mapField(user, 'as-user-extra') ?? {}
  for (const values of Object.values(extra))
    if (!Array.isArray(values))
      throw malformed(user.at('as-user-extra'), '"as-user-extra" must be a map of lists')
  return {
    user: textField(user, 'as'),
    groups: textListField(user, 'as-groups'),
    uid: textField(user, 'as-uid'),
    extra: extra as Record<string, string[]>,
  }
}
