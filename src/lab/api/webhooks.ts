import type { KubeObject } from '../../kubevirt/types.ts'

interface Webhook {
  name: string
  group: string
  version: string
  operations: ('CREATE' | 'UPDATE')[]
  resource: string
}

function kubevirt(name: string, resource: string, operations: Webhook['operations']): Webhook {
  return { name: `${name}.kubevirt.io`, group: 'kubevirt.io', version: 'v1', operations, resource }
}

/** KubeVirt 1.9's, by the names that stand in their refusals, as far as they bear on a migration. */
const MUTATING: Webhook[] = [
  kubevirt('migrations-mutator', 'virtualmachineinstancemigrations', ['CREATE']),
  kubevirt('virtualmachineinstances-mutator', 'virtualmachineinstances', ['CREATE', 'UPDATE']),
  kubevirt('virtualmachines-mutator', 'virtualmachines', ['CREATE']),
]
const VALIDATING: Webhook[] = [
  kubevirt('migration-create-validator', 'virtualmachineinstancemigrations', ['CREATE']),
  kubevirt('migration-update-validator', 'virtualmachineinstancemigrations', ['UPDATE']),
  kubevirt('virtualmachine-validator', 'virtualmachines', ['CREATE', 'UPDATE']),
  kubevirt('virtualmachineinstances-create-validator', 'virtualmachineinstances', ['CREATE']),
  kubevirt('virtualmachineinstances-update-validator', 'virtualmachineinstances', ['UPDATE']),
  kubevirt('kubevirt-validator', 'kubevirts', ['UPDATE']),
  {
    ...kubevirt('migration-policy-validator', 'migrationpolicies', ['CREATE', 'UPDATE']),
    group: 'migrations.kubevirt.io',
    version: 'v1alpha1',
  },
]
const EVICTION: Webhook = {
  ...kubevirt('virt-launcher-eviction-interceptor', 'pods/eviction', ['CREATE']),
  group: '',
}

/** Where each is asked, below a path that nobody can guess: an API server shows webhooks no certificate. */
export const webhookPaths = {
  mutate: 'mutate',
  evict: 'evict',
  validate: VALIDATING.map(({ name }) => name),
}

/** @param clientConfig where a webhook is asked, by its path */
export function webhookConfigurations(clientConfig: (path: string) => object): KubeObject[] {
  const entry = ({ name, group, version, operations, resource }: Webhook, path: string) => ({
    name,
    clientConfig: clientConfig(path),
    rules: [
      { apiGroups: [group], apiVersions: [version], resources: [resource], operations, scope: '*' },
    ],
    admissionReviewVersions: ['v1'],
    sideEffects: 'NoneOnDryRun',
    failurePolicy: 'Fail',
  })
  const configuration = (kind: string, name: string, webhooks: object[]) =>
    ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: { name },
      webhooks,
    }) as unknown as KubeObject
  return [
    configuration(
      'MutatingWebhookConfiguration',
      'virt-api-mutator',
      MUTATING.map((webhook) => entry(webhook, webhookPaths.mutate)),
    ),
    configuration('ValidatingWebhookConfiguration', 'virt-api-validator', [
      ...VALIDATING.map((webhook) => entry(webhook, webhook.name)),
      entry(EVICTION, webhookPaths.evict),
    ]),
  ]
}
