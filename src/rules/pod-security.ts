import type { Container, Namespace, Pod } from '../kubevirt/types.ts'

/** What Kubernetes' Pod Security admission says of a pod; the text stands behind `pods "NAME" is forbidden: `. */
export type PodSecurity =
  | { admit: true }
  | { admit: false; level: 'baseline' | 'restricted'; violations: string[]; message: string }

interface Context {
  privileged?: boolean
  allowPrivilegeEscalation?: boolean
  runAsNonRoot?: boolean
  runAsUser?: number
  capabilities?: { add?: string[]; drop?: string[] }
  seccompProfile?: { type?: string }
}

const LEVEL_LABEL = 'pod-security.kubernetes.io/enforce'
const VERSION_LABEL = 'pod-security.kubernetes.io/enforce-version'
/** What baseline lets a container add. */
const BASELINE_CAPABILITIES = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]

/** Does the namespace let this pod in? Those checks of the standards that a launcher, or a pod beside it, can fail. */
export function podSecurityOf(
  pod: Pick<Pod, 'spec'>,
  namespace: Namespace | undefined,
): PodSecurity {
  const labels = namespace?.metadata.labels ?? {}
  const level = labels[LEVEL_LABEL]
  if (level !== 'baseline' && level !== 'restricted') return { admit: true }
  const violations = [
    ...baselineViolations(pod),
    ...(level === 'restricted' ? restrictedViolations(pod) : []),
  ]
  if (violations.length === 0) return { admit: true }
  const version = labels[VERSION_LABEL] ?? 'latest'
  const message = `violates PodSecurity "${level}:${version}": ${violations.join(', ')}`
  return { admit: false, level, violations, message }
}

function baselineViolations({ spec }: Pick<Pod, 'spec'>): string[] {
  const violations: string[] = []
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => spec[field] === true)
  if (shared.length > 0)
    violations.push(`host namespaces (${shared.map((field) => `${field}=true`).join(', ')})`)
  const paths = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined)
  if (paths.length > 0)
    violations.push(
      `hostPath volumes (${noun(
        'volume',
        paths.map(({ name }) => name),
      )})`,
    )
  const privileged = containersWith(spec, ({ privileged }) => privileged === true)
  if (privileged.length > 0)
    violations.push(
      `privileged (${noun('container', privileged)} must not set securityContext.privileged=true)`,
    )
  const adding = containersWith(spec, ({ capabilities }) =>
    (capabilities?.add ?? []).some((added) => !BASELINE_CAPABILITIES.includes(added)),
  )
  if (adding.length > 0)
    violations.push(
      `non-default capabilities (${noun('container', adding)} must not include ${quoted(addedBy(spec, BASELINE_CAPABILITIES))} in securityContext.capabilities.add)`,
    )
  return violations
}

function restrictedViolations({ spec }: Pick<Pod, 'spec'>): string[] {
  const shared = (spec.securityContext ?? {}) as Context
  const violations: string[] = []
  const escalating = containersWith(
    spec,
    ({ allowPrivilegeEscalation }) => allowPrivilegeEscalation !== false,
  )
  if (escalating.length > 0)
    violations.push(
      `allowPrivilegeEscalation != false (${noun('container', escalating)} must set securityContext.allowPrivilegeEscalation=false)`,
    )
  const keeping = containersWith(spec, ({ capabilities }) => !capabilities?.drop?.includes('ALL'))
  if (keeping.length > 0)
    violations.push(
      `unrestricted capabilities (${noun('container', keeping)} must set securityContext.capabilities.drop=["ALL"])`,
    )
  const root = containersWith(
    spec,
    ({ runAsNonRoot }) => !(runAsNonRoot ?? shared.runAsNonRoot ?? false),
  )
  if (root.length > 0)
    violations.push(
      `runAsNonRoot != true (pod or ${noun('container', root)} must set securityContext.runAsNonRoot=true)`,
    )
  const open = containersWith(spec, ({ seccompProfile }) => {
    const type = seccompProfile?.type ?? shared.seccompProfile?.type
    return type !== 'RuntimeDefault' && type !== 'Localhost'
  })
  if (open.length > 0)
    violations.push(
      `seccompProfile (pod or ${noun('container', open)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`,
    )
  return violations
}

function containersWith(spec: Pod['spec'], fails: (context: Context) => boolean): string[] {
  return all(spec)
    .filter((container) => fails(contextOf(container)))
    .map(({ name }) => name)
}

function addedBy(spec: Pod['spec'], allowed: string[]): string[] {
  const added = all(spec).flatMap((container) => contextOf(container).capabilities?.add ?? [])
  return [...new Set(added)].filter((capability) => !allowed.includes(capability)).sort()
}

function all({ initContainers = [], containers }: Pod['spec']): Container[] {
  return [...initContainers, ...containers]
}

function contextOf(container: Container): Context {
  return (container['securityContext'] ?? {}) as Context
}

function noun(word: string, names: string[]): string {
  return `${names.length === 1 ? word : `${word}s`} ${quoted(names)}`
}

function quoted(names: string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}
