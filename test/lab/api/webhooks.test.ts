import { expect, test } from 'vitest'
import { startTestApi } from './harness.ts'

const GROUP = '/apis/kubevirt.io/v1/namespaces/default'
const POLICIES = '/apis/migrations.kubevirt.io/v1alpha1/migrationpolicies'

test('KubeVirt’s webhooks say all that is wrong, under their names', async () => {
  const api = await startTestApi()
  const vm = await api.send(`${GROUP}/virtualmachines`, {
    body: {
      metadata: { name: 'vm-1' },
      spec: {
        running: true,
        runStrategy: 'Always',
        template: { spec: { evictionStrategy: 'Wild', domain: { devices: {} } } },
      },
    },
  })
  expect(vm.body).toMatchObject({
    code: 422,
    reason: 'Invalid',
    message:
      'admission webhook "virtualmachine-validator.kubevirt.io" denied the request: spec.template.spec.evictionStrategy is set with an unrecognized option: Wild, Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy instead',
    details: {
      causes: [{ field: 'spec.template.spec.evictionStrategy' }, { field: 'spec.running' }],
    },
  })

  const vmi = await api.send(`${GROUP}/virtualmachineinstances`, {
    body: {
      metadata: { name: 'vm-1' },
      spec: { domain: { devices: { disks: [{ name: 'root', disk: {} }] } } },
    },
  })
  expect(vmi.body.message).toBe(
    `admission webhook "virtualmachineinstances-create-validator.kubevirt.io" denied the request: spec.domain.devices.disks[0].Name 'root' not found.`,
  )

  const policy = await api.send(POLICIES, {
    body: {
      metadata: { name: 'p' },
      spec: { selectors: {}, completionTimeoutPerGiB: -1, bandwidthPerMigration: '-1Mi' },
    },
  })
  expect(policy.body.message).toBe(
    'admission webhook "migration-policy-validator.kubevirt.io" denied the request: must not be negative, must not be negative',
  )
  expect((await api.send(POLICIES)).body.items).toEqual([])
})
