/** Where a log came from, as far as its path tells. */
export interface LogOrigin {
  file: string
  namespace?: string
  pod?: string
  container?: string
  /** The container's earlier life. */
  previous: boolean
}

/**
 * The layouts that archives have:
 * must-gather `namespaces/NS/pods/POD/CONTAINER/CONTAINER/logs/current.log`, its CNV flavour
 * `namespaces/NS/vms/VM/POD.log`, Harvester's support bundle `logs/NS/POD/CONTAINER.log[.1]`,
 * and the kubelet's own `var/log/pods/NS_POD_UID/CONTAINER/0.log`.
 */
const LAYOUTS: RegExp[] = [
  /(?:^|\/)namespaces\/(?<namespace>[^/]+)\/pods\/(?<pod>[^/]+)\/(?<container>[^/]+)\/(?:[^/]+\/)?logs\/[^/]+\.(?:log|txt)/,
  /(?:^|\/)namespaces\/(?<namespace>[^/]+)\/vms\/[^/]+\/(?<pod>virt-launcher-[^/]+?)(?:-(?<container>compute|guest-console-log))?(?:-previous)?\.(?:log|txt)/,
  /(?:^|\/)pods\/(?<namespace>[^/_]+)_(?<pod>[^/_]+)_[^/]+\/(?<container>[^/]+)\/\d+\.log/,
  /(?:^|\/)logs\/(?<namespace>[^/]+)\/(?<pod>[^/]+)\/(?<container>[^/]+?)(?:-previous)?\.log/,
  /(?:^|\/)(?<pod>virt-(?:launcher|handler|controller|api|operator)-[^/]+?)(?:[._](?<container>[a-z-]+))?\.(?:log|txt)$/,
]

export function logOrigin(file: string): LogOrigin {
  const previous = /previous|\.log\.\d+$/.test(file)
  for (const layout of LAYOUTS) {
    const groups = layout.exec(file)?.groups
    if (groups) return { file, previous, ...defined(groups) }
  }
  return { file, previous }
}

function defined(groups: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(groups).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
