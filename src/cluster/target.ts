/** One cluster and one user, from a kubeconfig or a pod's service account: files read, everything checked. */
export interface Target {
  context: string | undefined
  namespace: string
  server: ServerTarget
  user: UserTarget
}

export interface ServerTarget {
  /** Without a trailing slash. */
  url: string
  /** PEM; undefined means the system's and Node's own authorities. */
  ca: string | undefined
  /** The name to expect in the server's certificate instead of the URL's host. */
  tlsServerName: string | undefined
  skipTlsVerify: boolean
  /** An http, https or socks5 URL. */
  proxyUrl: string | undefined
  /** For credential plugins that ask for it. */
  execConfig: unknown
}

export interface UserTarget {
  /** Undefined for an anonymous user. */
  name: string | undefined
  /** PEM. */
  cert: string | undefined
  /** PEM. Never printed. */
  key: string | undefined
  token: string | undefined
  /** Wins over `token`; read for each request, since it is rotated. */
  tokenFile: string | undefined
  basic: { username: string; password: string } | undefined
  exec: ExecPlugin | undefined
  authProvider: AuthProvider | undefined
  impersonate: Impersonation
}

export interface Impersonation {
  user: string | undefined
  groups: string[]
  uid: string | undefined
  extra: Record<string, string[]>
}

/** `users[].user.exec` of a kubeconfig. */
export interface ExecPlugin {
  apiVersion: string
  /** Absolute, or a bare name to look up in the PATH. */
  command: string
  args: string[]
  env: { name: string; value: string }[]
  installHint: string | undefined
  provideClusterInfo: boolean
  interactiveMode: 'Never' | 'IfAvailable' | 'Always'
}

/** `users[].user.auth-provider` of a kubeconfig: oidc. */
export interface AuthProvider {
  name: string
  config: Record<string, string>
}

export const ANONYMOUS: UserTarget = {
  name: undefined,
  cert: undefined,
  key: undefined,
  token: undefined,
  tokenFile: undefined,
  basic: undefined,
  exec: undefined,
  authProvider: undefined,
  impersonate: { user: undefined, groups: [], uid: undefined, extra: {} },
}
