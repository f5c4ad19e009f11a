import { expect, test } from 'vitest'
import { CORE, configMap, KUBEVIRT, pod, startTestApi, vmi, vmim } from './harness.ts'

const VMIMS = `${KUBEVIRT}/virtualmachineinstancemigrations`
const STRICT = '?fieldValidation=Strict'

/** path, what is sent, and the status, reason and message that come back. */
const REFUSALS: [name: string, path: string, send: object, expected: object][] = [
  [
    'a body that is no JSON',
    `${CORE}/configmaps`,
    { body: '{"metadata":' },
    { code: 400, reason: 'BadRequest', message: expect.stringContaining('json parse error') },
  ],
  [
    'a body that is no object',
    `${CORE}/configmaps`,
    { body: '[]' },
    { code: 400, reason: 'BadRequest' },
  ],
  [
    'a media type that is none of ours',
    `${CORE}/configmaps`,
    { body: 'x', contentType: 'text/plain' },
    {
      code: 415,
      reason: 'UnsupportedMediaType',
      message:
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    },
  ],
  [
    'another kind than the path says',
    `${CORE}/configmaps`,
    { body: pod('p') },
    {
      code: 400,
      message: expect.stringMatching(/^Pod in version "v1" cannot be handled as a ConfigMap/),
    },
  ],
  [
    'a number for a text, in a built-in kind',
    `${CORE}/pods`,
    { body: pod('p', { containers: [{ name: 'c', image: 5 }] }) },
    {
      code: 400,
      message:
        'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number into Go struct field Container.spec.containers.image of type string',
    },
  ],
  [
    'an object for a list, in a built-in kind',
    `${CORE}/pods`,
    { body: pod('p', { containers: {} }) },
    {
      code: 400,
      message:
        'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container',
    },
  ],
  [
    'a quantity that is none',
    `${CORE}/pods`,
    {
      body: pod('p', { containers: [{ name: 'c', resources: { requests: { memory: 'much' } } }] }),
    },
    {
      code: 400,
      message:
        'Pod in version "v1" cannot be handled as a Pod: quantities must match the regular expression \'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$\'',
    },
  ],
  [
    'a label that is no text',
    VMIMS,
    { body: { metadata: { name: 'm', labels: { a: 1 } }, spec: { vmiName: 'vm-1' } } },
    {
      code: 400,
      message: expect.stringContaining(
        'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
      ),
    },
  ],
  [
    'an unknown field, asked to be strict',
    `${VMIMS}${STRICT}`,
    { body: { ...vmim('m', 'vm-1'), spec: { vmiName: 'vm-1', vmName: 'typo' } } },
    {
      code: 400,
      reason: 'BadRequest',
      message:
        'VirtualMachineInstanceMigration in version "v1" cannot be handled as a VirtualMachineInstanceMigration: strict decoding error: unknown field "spec.vmName"',
    },
  ],
  [
    'a number for the name of the VM',
    VMIMS,
    { body: { ...vmim('m', 'vm-1'), spec: { vmiName: 7 } } },
    {
      code: 422,
      reason: 'Invalid',
      message:
        'admission webhook "migrations-mutator.kubevirt.io" denied the request: spec.vmiName in body must be of type string: "number"',
      details: { causes: [{ message: 'spec.vmiName in body must be of type string: "number"' }] },
    },
  ],
  [
    'a text for a flag of a policy',
    '/apis/migrations.kubevirt.io/v1alpha1/migrationpolicies',
    { body: { metadata: { name: 'p' }, spec: { allowPostCopy: 'yes' } } },
    {
      code: 422,
      message:
        'MigrationPolicy.migrations.kubevirt.io "p" is invalid: spec.allowPostCopy: Invalid value: "string": spec.allowPostCopy in body must be of type boolean: "string"',
    },
  ],
  [
    'a migration without a spec',
    VMIMS,
    { body: { metadata: { name: 'm' } } },
    {
      code: 422,
      message:
        'admission webhook "migrations-mutator.kubevirt.io" denied the request: spec in body is required',
    },
  ],
  [
    'a policy whose spec is null',
    '/apis/migrations.kubevirt.io/v1alpha1/migrationpolicies',
    { body: { metadata: { name: 'p' }, spec: null } },
    {
      code: 422,
      message: 'MigrationPolicy.migrations.kubevirt.io "p" is invalid: spec: Required value',
    },
  ],
  [
    'metadata of null',
    `${CORE}/configmaps`,
    { body: { metadata: null } },
    { code: 422, message: expect.stringContaining('name or generateName is required') },
  ],
  [
    'a pod without containers',
    `${CORE}/pods`,
    { body: { metadata: { name: 'p' }, spec: {} } },
    { code: 422, message: 'Pod "p" is invalid: spec.containers: Required value' },
  ],
  [
    'a pod of two containers with one name',
    `${CORE}/pods`,
    { body: pod('p', { containers: [{ name: 'c' }, { name: 'c' }] }) },
    { code: 422, message: 'Pod "p" is invalid: spec.containers[1].name: Duplicate value: "c"' },
  ],
  [
    'no name',
    `${CORE}/configmaps`,
    { body: { metadata: {} } },
    {
      code: 422,
      message:
        'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    },
  ],
  [
    'a name with capitals',
    `${CORE}/configmaps`,
    { body: configMap('Name') },
    {
      code: 422,
      message: expect.stringContaining('a lowercase RFC 1123 subdomain must consist of'),
    },
  ],
  [
    'a label that is too long',
    VMIMS,
    { body: { metadata: { name: 'm', labels: { a: 'x'.repeat(64) } }, spec: { vmiName: 'vm-1' } } },
    { code: 422, message: expect.stringContaining('must be no more than 63 bytes') },
  ],
  [
    'another namespace than the path says',
    `${CORE}/configmaps`,
    { body: { metadata: { name: 'a', namespace: 'kubevirt' } } },
    {
      code: 400,
      message:
        'the namespace of the provided object does not match the namespace sent on the request',
    },
  ],
  [
    'a dry run of some other kind',
    `${CORE}/configmaps?dryRun=Some`,
    { body: configMap('a') },
    {
      code: 422,
      message:
        'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
    },
  ],
  [
    'a validation of some other kind',
    `${CORE}/configmaps?fieldValidation=Hard`,
    { body: configMap('a') },
    {
      code: 422,
      message: expect.stringContaining('supported values: "", "Ignore", "Strict", "Warn"'),
    },
  ],
  [
    'a body of more than 3 MiB',
    `${CORE}/configmaps`,
    { body: configMap('a', { data: { x: 'x'.repeat(3 * 1024 * 1024) } }) },
    {
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: limit is 3145728',
    },
  ],
  [
    'a list by a malformed label selector',
    `${CORE}/configmaps?labelSelector=a%20b`,
    {},
    { code: 400, message: expect.stringContaining('unable to parse requirement') },
  ],
  [
    'a list by a field that cannot be selected',
    `${VMIMS}?fieldSelector=status.phase%3DFailed`,
    {},
    { code: 400, message: 'field label not supported: status.phase' },
  ],
  [
    'a malformed continue token',
    `${CORE}/configmaps?continue=nonsense`,
    {},
    { code: 400, reason: 'BadRequest' },
  ],
  [
    'a watch from a revision that is no number',
    `${CORE}/configmaps?watch=1&resourceVersion=x`,
    {},
    { code: 500, message: expect.stringContaining('parsing "x": invalid syntax') },
  ],
  [
    'a kind that is not there',
    `${CORE}/things`,
    {},
    { code: 404, message: 'the server could not find the requested resource' },
  ],
  [
    'a subresource that a kind does not have',
    `${KUBEVIRT}/virtualmachineinstances/vm-1/status`,
    {},
    { code: 404, reason: 'NotFound' },
  ],
  [
    'a malformed escape in the path',
    '/api/v1/namespaces/%zz/pods',
    {},
    { code: 400, reason: 'BadRequest' },
  ],
  [
    'a method that a path does not take',
    '/api/v1/pods',
    { method: 'POST', body: pod('p') },
    { code: 405, reason: 'MethodNotAllowed' },
  ],
  [
    'a form of answer that there is none of',
    `${CORE}/configmaps`,
    { headers: { accept: 'text/html' } },
    { code: 406, reason: 'NotAcceptable' },
  ],
]

test.each(REFUSALS)('%s is refused as Kubernetes refuses it', async (_, path, send, expected) => {
  const { send: request, server } = await startTestApi()
  await request(`${KUBEVIRT}/virtualmachineinstances`, { body: vmi('vm-1') })
  const before = server.store.revision
  const answer = await request(path, send)
  expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', ...expected })
  expect(answer.status).toBe(answer.body.code)
  expect(server.store.revision).toBe(before)
})

const PATCHES: [name: string, contentType: string, body: unknown, expected: object][] = [
  ['no JSON', 'merge-patch+json', '{', { code: 400, reason: 'BadRequest' }],
  ['a list for a merge', 'merge-patch+json', [], { code: 400, reason: 'BadRequest' }],
  ['an object for a list of operations', 'json-patch+json', {}, { code: 400 }],
  [
    'a test that fails',
    'json-patch+json',
    [{ op: 'test', path: '/spec/vmiName', value: 'other' }],
    {
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
    },
  ],
  ['a path that is not there', 'json-patch+json', [{ op: 'remove', path: '/x/y' }], { code: 422 }],
  ['an operation that is none', 'json-patch+json', [{ op: 'frob', path: '/spec' }], { code: 422 }],
  ['a kind of patch that it does not take', 'strategic-merge-patch+json', {}, { code: 415 }],
  [
    'a changed spec',
    'merge-patch+json',
    { spec: { vmiName: 'vm-2' } },
    {
      code: 422,
      message:
        'admission webhook "migration-update-validator.kubevirt.io" denied the request: update of Migration object\'s spec is restricted',
      details: { causes: [{ message: "update of Migration object's spec is restricted" }] },
    },
  ],
  [
    'a changed name',
    'merge-patch+json',
    { metadata: { name: 'other' } },
    { code: 400, message: expect.stringContaining('does not match the name on the URL') },
  ],
]

test.each(PATCHES)(
  'a patch with %s is refused, and nothing written',
  async (_, type, body, expected) => {
    const { send, server } = await startTestApi()
    await send(`${KUBEVIRT}/virtualmachineinstances`, { body: vmi('vm-1') })
    await send(VMIMS, { body: vmim('m', 'vm-1') })
    const before = server.store.revision
    const contentType = `application/${type}`
    const answer = await send(`${VMIMS}/m`, { method: 'PATCH', contentType, body })
    expect(answer.body).toMatchObject(expected)
    expect(server.store.revision).toBe(before)
  },
)

test("a pod's spec stays as it was, but for images", async () => {
  const { send } = await startTestApi()
  await send(`${CORE}/pods`, { body: pod('p') })
  const patch = (body: object) =>
    send(`${CORE}/pods/p`, {
      method: 'PATCH',
      contentType: 'application/strategic-merge-patch+json',
      body,
    })
  const refused = await patch({ spec: { containers: [{ name: 'compute', command: ['x'] }] } })
  expect(refused.body.message).toMatch(
    /^Pod "p" is invalid: spec: Forbidden: pod updates may not change fields other than/,
  )
  const image = await patch({ spec: { containers: [{ name: 'compute', image: 'other' }] } })
  expect(image.body.spec.containers[0].image).toBe('other')
})

test('an unknown field is dropped with a warning when nothing else was asked for', async () => {
  const { send } = await startTestApi()
  await send(`${KUBEVIRT}/virtualmachineinstances`, { body: vmi('vm-1') })
  const body = { ...vmim('m', 'vm-1'), spec: { vmiName: 'vm-1', vmName: 'typo' } }
  const answer = await send(VMIMS, { body })
  expect(answer.status).toBe(201)
  expect(answer.headers['warning']).toBe('299 - "unknown field \\"spec.vmName\\""')
  expect(answer.body.spec).toEqual({ vmiName: 'vm-1' })
})

test.each([
  ['JSON', 'application/json', "invalid character '[' exceeded max depth"],
  ['YAML', 'application/yaml', 'yaml: exceeded max depth of 10000'],
])('%s that is nested without end is refused in words', async (_, contentType, why) => {
  const { send } = await startTestApi()
  const deep = (depth: number) =>
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"x":${'['.repeat(depth)}${']'.repeat(depth)}}`
  for (const body of ['['.repeat(20_000), deep(20_000), deep(5000)]) {
    const answer = await send(`${CORE}/configmaps`, { body, contentType })
    expect(answer.body).toMatchObject({ code: 400, message: expect.stringContaining(why) })
  }
  const taken = await send(`${CORE}/configmaps`, { body: deep(500), contentType })
  expect(taken.status).toBe(201)
})

test.each([
  ['ConfigMap', 'configmaps', '[]'],
  ['Secret', 'secrets', 'data'],
])('a %s of more than 1 MiB is refused', async (kind, plural, field) => {
  const { send } = await startTestApi()
  const sized = (bytes: number) => {
    const value = Buffer.alloc(bytes, 'x')
    const data = { a: kind === 'Secret' ? value.toString('base64') : value.toString() }
    return send(`${CORE}/${plural}`, {
      body: { apiVersion: 'v1', kind, metadata: { name: 'a' }, data },
    })
  }
  expect((await sized(1_048_577)).body).toMatchObject({
    code: 422,
    message: `${kind} "a" is invalid: ${field}: Too long: may not be more than 1048576 bytes`,
  })
  expect((await sized(1_048_576)).status).toBe(201)
})

test('a JSON patch of more than 10000 operations is too large', async () => {
  const { send } = await startTestApi()
  await send(`${CORE}/configmaps`, { body: configMap('a') })
  const operation = { op: 'add', path: '/data/x', value: '1' }
  const answer = await send(`${CORE}/configmaps/a`, {
    method: 'PATCH',
    contentType: 'application/json-patch+json',
    body: Array(10_001).fill(operation),
  })
  expect(answer.body).toMatchObject({
    code: 413,
    message:
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
  })
})
