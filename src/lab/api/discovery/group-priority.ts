/** How high Kubernetes' own groups stand (kube-apiserver's aggregator); all that were added are below them. */
const PRIORITIES: Record<string, number> = {
  '': 18_000,
  // The aggregator's own group comes before all that it aggregates.
  'apiregistration.k8s.io': 17_900,
  apps: 17_800,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'networking.k8s.io': 17_200,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'storage.k8s.io': 16_800,
  'admissionregistration.k8s.io': 16_700,
  'apiextensions.k8s.io': 16_700,
  'scheduling.k8s.io': 16_600,
  'coordination.k8s.io': 16_500,
  'discovery.k8s.io': 16_200,
}

const ADDED = 1000

/** `groupPriorityMinimum` of an APIService. */
export function groupPriority(group: string): number {
  return PRIORITIES[group] ?? ADDED
}

/** The order in which groups are listed, and kubectl prints what it gets of several. */
export function inGroupOrder(groups: ReadonlyMap<string, string[]>): [string, string[]][] {
  const first = ([group, versions]: [string, string[]]) =>
    versions.map((version) => `${version}.${group}`).sort()[0] ?? ''
  return [...groups].sort((a, b) => {
    const higher = groupPriority(b[0]) - groupPriority(a[0])
    return higher || (first(a) < first(b) ? -1 : 1)
  })
}
