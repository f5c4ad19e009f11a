import type { KubeObject } from '../../kubevirt/types.ts'
import { definitions } from './definitions.ts'
import { entriesOf, type VirtualResource } from './discovery/entries.ts'
import { groupPriority } from './discovery/group-priority.ts'
import { apiVersionOf, type Kind } from './kind.ts'
import { webhookConfigurations } from './webhooks.ts'

/** What a cluster with KubeVirt says of its own API, as objects: its definitions, who answers for a group, who is asked first. */
export function ownObjects(
  kinds: readonly Kind[],
  virtual: VirtualResource[],
  now: string,
): KubeObject[] {
  const service = { namespace: 'kubevirt', name: 'virt-api', port: 443 }
  return [
    ...definitions().map((definition) => established(definition, now)),
    ...apiServices(kinds, virtual, now),
    ...webhookConfigurations(() => ({ service })).map(withDefaults),
  ]
}

interface Definition extends KubeObject {
  spec: { names: object; versions: { name: string; storage: boolean }[] }
}

function established(definition: KubeObject, now: string): KubeObject {
  const { spec } = definition as Definition
  const condition = (type: string, reason: string, message: string) => ({
    type,
    status: 'True',
    lastTransitionTime: now,
    reason,
    message,
  })
  return {
    ...definition,
    spec: { ...spec, conversion: { strategy: 'None' } },
    status: {
      conditions: [
        condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
        condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
      ],
      acceptedNames: spec.names,
      storedVersions: spec.versions.filter(({ storage }) => storage).map(({ name }) => name),
    },
  } as KubeObject
}

const AGGREGATED = 'subresources.kubevirt.io'

function apiServices(
  kinds: readonly Kind[],
  virtual: VirtualResource[],
  now: string,
): KubeObject[] {
  const entries = entriesOf(kinds, virtual)
  const isOwn = new Map(kinds.map(({ group, builtIn }) => [group, builtIn]))
  const versions = new Map(
    entries
      // The group that these objects are of is nobody's to register.
      .filter(({ group }) => group !== 'apiregistration.k8s.io')
      .map((entry) => [apiVersionOf(entry), entry]),
  )
  return [...versions.values()].map(({ group, version }) => {
    const local = group !== AGGREGATED
    const automanaged = (isOwn.get(group) ?? true) ? 'onstart' : 'true'
    return {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: {
        name: `${version}.${group}`,
        ...(local && { labels: { 'kube-aggregator.kubernetes.io/automanaged': automanaged } }),
      },
      spec: {
        ...(!local && { service: { namespace: 'kubevirt', name: 'virt-api', port: 443 } }),
        group,
        version,
        groupPriorityMinimum: groupPriority(group),
        versionPriority: local && isOwn.get(group) === false ? 100 : 15,
      },
      status: {
        conditions: [
          {
            type: 'Available',
            status: 'True',
            lastTransitionTime: now,
            reason: local ? 'Local' : 'Passed',
            message: local ? 'Local APIServices are always available' : 'all checks passed',
          },
        ],
      },
    } as KubeObject
  })
}

interface Configuration extends KubeObject {
  webhooks: object[]
}

/** What Kubernetes fills in. */
function withDefaults(configuration: KubeObject): KubeObject {
  const { webhooks, ...rest } = configuration as Configuration
  const isMutating = configuration.kind === 'MutatingWebhookConfiguration'
  const defaults = {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    ...(isMutating && { reinvocationPolicy: 'Never' }),
  }
  return {
    ...rest,
    webhooks: webhooks.map((webhook) => ({ ...defaults, ...webhook })),
  } as KubeObject
}
