import { expect, test } from 'vitest'
import { DESCRIPTIONS, KIND_DESCRIPTIONS } from '../../../src/lab/api/openapi/descriptions.ts'
import { structNamed } from '../../../src/lab/api/schema/type-table.ts'
import { startTestApi, vmi } from './harness.ts'

test('discovery in the old and in the aggregated form names the same resources', async () => {
  const { send } = await startTestApi()
  const { body: old } = await send('/apis/kubevirt.io/v1')
  const names = old.resources
    .map(({ name }: { name: string }) => name)
    .filter((name: string) => !name.includes('/'))
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  const { body, headers } = await send('/apis', { headers: { accept } })
  expect(headers['content-type']).toBe(accept)
  const group = body.items.find(
    (item: { metadata: { name: string } }) => item.metadata.name === 'kubevirt.io',
  )
  expect(group.versions.map(({ version }: { version: string }) => version)).toEqual([
    'v1',
    'v1alpha3',
  ])
  const found = group.versions[0].resources
  expect(found.map(({ resource }: { resource: string }) => resource)).toEqual(names)
  const migrations = found.find(
    ({ resource }: { resource: string }) => resource === 'virtualmachineinstancemigrations',
  )
  expect(migrations).toMatchObject({
    scope: 'Namespaced',
    shortNames: ['vmim', 'vmims'],
    categories: ['all'],
    subresources: [{ subresource: 'status' }],
  })
})

test('an older version serves the same objects under its own name, with a warning', async () => {
  const { send } = await startTestApi()
  const path = '/apis/kubevirt.io/v1alpha3/namespaces/default/virtualmachineinstances'
  const body = { ...vmi('vm-1'), apiVersion: 'kubevirt.io/v1alpha3' }
  const created = await send(path, { body })
  expect(created.status).toBe(201)
  expect(created.body.apiVersion).toBe('kubevirt.io/v1alpha3')
  expect(created.headers['warning']).toBe(
    '299 - "kubevirt.io/v1alpha3 is now deprecated and will be removed in a future release."',
  )
  const { body: list } = await send(path.replace('v1alpha3', 'v1'))
  expect(list.items[0].apiVersion).toBe('kubevirt.io/v1')
})

test('every group version has an OpenAPI document in which its kinds can be found', async () => {
  const { send } = await startTestApi()
  const { body: index } = await send('/openapi/v3')
  for (const { serverRelativeURL } of Object.values(index.paths) as {
    serverRelativeURL: string
  }[]) {
    const { body } = await send(serverRelativeURL)
    for (const path of Object.values(body.paths) as Record<
      string,
      { 'x-kubernetes-group-version-kind': object }
    >[]) {
      const gvk = Object.values(path)[0]!['x-kubernetes-group-version-kind']
      const schemas = Object.values(body.components.schemas) as Record<string, object[]>[]
      expect(
        schemas.flatMap((schema) => schema['x-kubernetes-group-version-kind'] ?? []),
      ).toContainEqual(gvk)
    }
  }
})

test('what is described is there', () => {
  for (const [type, fields] of Object.entries(DESCRIPTIONS))
    for (const field of Object.keys(fields))
      expect([type, ...structNamed(type).keys()]).toContain(field)
})

test('a kind that bears on a migration says what it is, in the API and in its definition', async () => {
  const { send } = await startTestApi()
  const text = KIND_DESCRIPTIONS['kv.VirtualMachineInstanceMigration']
  const { body } = await send('/openapi/v3/apis/kubevirt.io/v1')
  expect(body.components.schemas['io.kubevirt.v1.VirtualMachineInstanceMigration']).toMatchObject({
    description: text,
  })
  const name = 'virtualmachineinstancemigrations.kubevirt.io'
  const definition = await send(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`)
  const [version] = definition.body.spec.versions
  expect(version.schema.openAPIV3Schema.description).toBe(text)
})

test('schemas of Kubernetes’ own kinds say what must be there, and what is a quantity', async () => {
  const { send } = await startTestApi()
  const { body } = await send('/openapi/v3/api/v1')
  const schemas: Record<string, { required?: string[]; properties?: Record<string, object> }> =
    body.components.schemas
  const port = schemas['io.k8s.types.v1.ContainerPort']
  expect(port?.required).toEqual(['containerPort'])
  expect(schemas['io.k8s.types.v1.ResourceQuotaSpec']?.properties?.['hard']).toMatchObject({
    additionalProperties: {
      $ref: '#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity',
    },
  })
  expect(schemas['io.k8s.apimachinery.pkg.api.resource.Quantity']).toMatchObject({
    'x-kubernetes-int-or-string': true,
  })
})

test('groups come in Kubernetes’ order, and what tells of the API is not written', async () => {
  const { send } = await startTestApi()
  const { body } = await send('/apis')
  const names: string[] = body.groups.map(({ name }: { name: string }) => name)
  expect(names.slice(0, 2)).toEqual(['apiregistration.k8s.io', 'apps'])
  expect(names.indexOf('storage.k8s.io')).toBeLessThan(names.indexOf('kubevirt.io'))
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  expect((await send(`${definitions}/kubevirts.kubevirt.io`)).body.spec.names).toMatchObject({
    shortNames: ['kv', 'kvs'],
  })
  const patch = {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { metadata: { labels: { a: 'b' } } },
  }
  const refusal = await send(`${definitions}/kubevirts.kubevirt.io`, patch)
  expect(refusal.body).toMatchObject({ code: 405, reason: 'MethodNotAllowed' })
})
