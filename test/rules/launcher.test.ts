import { describe, expect, test } from 'vitest'
import type { KubeVirt, Node, Pod, Vmi } from '../../src/kubevirt/types.ts'
import { automaticLimits } from '../../src/rules/automatic-limits.ts'
import { pinnedImages } from '../../src/rules/container-disks.ts'
import { launcherOverhead, vcpusOf } from '../../src/rules/launcher-memory.ts'
import { launcherPod } from '../../src/rules/launcher-pod.ts'
import { targetPod } from '../../src/rules/target-pod.ts'
import { migration, quota, vmi } from './objects.ts'

/** What the recordings were made with: main after 1.9. */
const release = { major: 1, minor: 10 }
const kubevirt = (configuration: Record<string, unknown>): KubeVirt => ({
  metadata: { name: 'kubevirt' },
  spec: { configuration },
})
const withDomain = (domain: object, status: Vmi['status'] = {}): Vmi => {
  const base = vmi({ status })
  return { ...base, spec: { ...base.spec, domain: { ...base.spec.domain, ...domain } } }
}
const compute = (of: Vmi, options = {}) =>
  launcherPod(of, { kubevirt: undefined, release, ...options }).spec.containers[0]!.resources!

describe('what a launcher asks for', () => {
  test('is what the recorded pods ask for, to the byte', () => {
    const pod = launcherPod(vmi(), { kubevirt: undefined, release })
    expect(pod.metadata.annotations?.['kubevirt.io/memory-overhead-bytes']).toBe('302120960')
    const devices = {
      'devices.kubevirt.io/kvm': '1',
      'devices.kubevirt.io/tun': '1',
      'devices.kubevirt.io/vhost-net': '1',
    }
    expect(pod.spec.containers.map(({ name, resources }) => [name, resources])).toEqual([
      [
        'compute',
        {
          requests: { cpu: '100m', 'ephemeral-storage': '50M', memory: '360576Ki', ...devices },
          limits: devices,
        },
      ],
    ])
    expect(pod.spec.initContainers?.[0]).toMatchObject({
      name: 'guest-console-log',
      restartPolicy: 'Always',
      resources: { requests: { cpu: '5m', memory: '35M' }, limits: { cpu: '15m', memory: '60M' } },
    })
  })

  test('grows with its vCPUs', () => {
    const two = withDomain({ cpu: { cores: 1, sockets: 2, threads: 1, model: 'Haswell' } })
    expect(compute(two).requests).toMatchObject({ cpu: '200m', memory: '368768Ki' })
    expect(vcpusOf({ domain: { resources: { limits: { cpu: '2500m' } } } })).toBe(3)
    expect(vcpusOf({})).toBe(1)
  })

  test.each([
    ['before 1.10', {}, { major: 1, minor: 9 }, 220 + 8 + 8 + 32],
    ['before 1.5', {}, { major: 1, minor: 4 }, 210 + 8 + 8 + 32],
    ['without graphics', { devices: { autoattachGraphicsDevice: false } }, release, 240 + 8 + 8],
    [
      'with a TPM and a device',
      { devices: { tpm: {}, hostDevices: [{}] } },
      release,
      240 + 8 + 8 + 32 + 1024 + 53,
    ],
    [
      'with dedicated CPUs',
      { cpu: { cores: 2, dedicatedCpuPlacement: true } },
      release,
      240 + 16 + 8 + 32 + 100,
    ],
  ])('the overhead %s', (_, domain, of, mebibytes) => {
    const { bytes, parts } = launcherOverhead(withDomain(domain), undefined, of)
    expect(bytes).toBe(mebibytes * 1024 * 1024 + 128 * 1024)
    expect(parts.reduce((sum, part) => sum + part.bytes, 0)).toBe(bytes)
  })

  test('the cluster may raise the overhead and overcommit memory and CPU', () => {
    const cluster = kubevirt({
      additionalGuestMemoryOverheadRatio: '2',
      developerConfiguration: { memoryOvercommit: 200, cpuAllocationRatio: 4 },
    })
    const of = withDomain({ resources: {}, memory: { guest: '128Mi' } })
    expect(compute(of, { kubevirt: cluster }).requests).toMatchObject({
      cpu: '250m',
      // The overhead's share is added in whole kB; no page tables, as the VM asks for no memory itself.
      memory: String((64 + 288) * 1024 ** 2 + 301_990_000),
    })
  })

  test('hugepages hold the guest, ordinary memory the overhead', () => {
    const of = withDomain({ memory: { guest: '64Mi', hugepages: { pageSize: '2Mi' } } })
    const { requests, limits } = compute(of)
    expect(requests).toMatchObject({ 'hugepages-2Mi': '64Mi', memory: '295040Ki' })
    expect(limits).toMatchObject({ 'hugepages-2Mi': '64Mi' })
    const more = compute(
      withDomain({
        memory: { guest: '64Mi', hugepages: { pageSize: '2Mi' } },
        resources: { requests: { memory: '96Mi' }, limits: { memory: '128Mi' } },
      }),
    )
    // Page tables of 96Mi, which are 100664 kB.
    const own = 288 * 1024 ** 2 + 196_609
    expect(more.requests).toMatchObject({
      'hugepages-2Mi': '64Mi',
      memory: String(own + 32 * 1024 ** 2),
    })
    expect(more.limits).toMatchObject({ memory: String(own + 64 * 1024 ** 2) })
  })

  test('CPUs of its own go with memory of its own, for its helpers too', () => {
    const cpu = { cores: 2, dedicatedCpuPlacement: true, isolateEmulatorThread: true }
    const of = withDomain({ cpu })
    const { requests, limits } = compute(of)
    expect(requests).toMatchObject({ cpu: '3' })
    expect(limits).toMatchObject({ cpu: '3', memory: requests!['memory'] })
    const [log] = launcherPod(of, { kubevirt: undefined }).spec.initContainers ?? []
    expect(log?.resources).toEqual({
      requests: { cpu: '15m', memory: '60M' },
      limits: { cpu: '15m', memory: '60M' },
    })
    const annotations = { 'alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity': '' }
    const even = { ...of, metadata: { ...of.metadata, annotations } }
    expect(compute(even).requests).toMatchObject({ cpu: '4' })
  })

  test('limits of its own grow by the overhead; a namespace may oblige it to have some', () => {
    const limited = withDomain({ resources: { limits: { memory: '64Mi', cpu: '2' } } })
    expect(compute(limited).limits).toMatchObject({ memory: '452Mi' })
    expect(compute(limited).requests).toMatchObject({ cpu: '2' })
    const limits = automaticLimits(
      { metadata: { name: 'demo' } },
      [quota({ 'limits.cpu': '4', 'limits.memory': '4Gi' })],
      undefined,
    )
    expect(limits).toEqual({ cpu: true, memoryRatio: 2 })
    expect(compute(vmi(), { limits }).limits).toMatchObject({ cpu: '1', memory: '721152Ki' })
  })

  test('a namespace’s labels decide on limits by themselves', () => {
    const labels = { tier: 'gold', 'alpha.kubevirt.io/auto-memory-limits-ratio': '1.5' }
    const cluster = kubevirt({
      autoCPULimitNamespaceLabelSelector: { matchLabels: { tier: 'gold' } },
    })
    const namespace = { metadata: { name: 'demo', labels } }
    const memory = quota({ 'limits.memory': '4Gi' })
    expect(automaticLimits(namespace, [memory], cluster)).toEqual({ cpu: true, memoryRatio: 1.5 })
    expect(automaticLimits(namespace, [], undefined)).toEqual({ cpu: false })
  })

  test('without a serial console there is no log container', () => {
    const quiet = withDomain({ devices: { logSerialConsole: false } })
    expect(launcherPod(quiet, { kubevirt: undefined }).spec.initContainers).toBeUndefined()
    const cluster = kubevirt({ virtualMachineOptions: { disableSerialConsoleLog: {} } })
    expect(launcherPod(vmi(), { kubevirt: cluster }).spec.initContainers).toBeUndefined()
  })
})

test('a VM whose name is too long for a label is told from its like by a hash', () => {
  const name = `vm-${'a'.repeat(67)}`
  const base = vmi()
  const long = { ...base, metadata: { ...base.metadata, name } }
  expect(launcherPod(long, { kubevirt: undefined, release }).metadata.labels).toMatchObject({
    'vmi.kubevirt.io/id': `vm-${'a'.repeat(51)}-8fc9334d`,
    'vm.kubevirt.io/name': name.slice(0, 63),
  })
})

describe('the image of a disk', () => {
  const volumes = [{ name: 'root', containerDisk: { image: 'registry:5000/fedora:42' } }]
  const of = vmi({ spec: { volumes } })
  const names = (pod: { spec: Pod['spec'] }) => pod.spec.initContainers?.map(({ name }) => name)

  test('is a volume, and a container that tells its digest', () => {
    const pod = launcherPod(of, { kubevirt: undefined })
    expect(names(pod)).toEqual(['guest-console-log', 'volumeroot'])
    expect(pod.spec.initContainers?.[1]?.resources).toEqual({
      requests: { cpu: '1m', memory: '1M', 'ephemeral-storage': '50M' },
      limits: { cpu: '10m', memory: '40M' },
    })
    expect(pod.spec.volumes).toContainEqual({
      name: 'root',
      image: { reference: 'registry:5000/fedora:42' },
    })
  })

  test('is a container beside the guest on older releases', () => {
    const older = { ...kubevirt({}), status: { observedKubeVirtVersion: 'v1.7.0' } }
    const pod = launcherPod(of, { kubevirt: older })
    expect(pod.spec.containers.map(({ name }) => name)).toEqual(['compute', 'volumeroot'])
    expect(names(pod)).toEqual(['guest-console-log'])
  })

  test('of a target is the one that the source runs, once its digest is known', () => {
    const imageID = 'registry:5000/fedora@sha256:abc'
    const status = { initContainerStatuses: [{ name: 'volumeroot', imageID }] }
    const source: Pod = { metadata: { name: 's' }, spec: { containers: [] }, status }
    expect(pinnedImages(of, source, undefined)).toEqual({
      ok: true,
      images: { root: 'registry:5000/fedora@sha256:abc' },
    })
    const again = launcherPod(of, { kubevirt: undefined, images: { root: imageID } })
    expect(names(again)).toEqual(['guest-console-log'])
    const later: Pod = { metadata: { name: 's' }, spec: again.spec }
    expect(pinnedImages(of, later, undefined)).toEqual({ ok: true, images: { root: imageID } })
    status.initContainerStatuses[0]!.imageID = 'nothing of the kind'
    expect(pinnedImages(of, source, undefined)).toMatchObject({ ok: false })
  })
})

test('a launcher carries its VM’s labels and annotations, but for what is only the VMI’s', () => {
  const of = vmi()
  of.metadata.annotations = {
    'kubevirt.io/latest-observed-api-version': 'v1',
    'kubevirt.io/vm-generation': '1',
  }
  const { metadata } = launcherPod(of, { kubevirt: undefined })
  expect(metadata.labels).toEqual({
    app: 'vm-1',
    'kubevirt.io': 'virt-launcher',
    'kubevirt.io/created-by': 'uid-vm-1',
    'vm.kubevirt.io/name': 'vm-1',
    'vmi.kubevirt.io/id': 'vm-1',
  })
  expect(metadata.annotations).toMatchObject({ 'kubevirt.io/vm-generation': '1' })
  expect(metadata.annotations).not.toHaveProperty('kubevirt.io/latest-observed-api-version')
})

test('enlightenments of the host’s kernel are asked for where the cluster is strict', () => {
  const features = {
    hyperv: {
      relaxed: {},
      vpindex: {},
      ipi: { enabled: false },
      synictimer: { enabled: true },
      evmcs: {},
    },
  }
  const windows = vmi({ spec: { domain: { features } } })
  const strict = { developerConfiguration: { featureGates: ['HypervStrictCheck'] } }
  const labels = (configuration: NonNullable<KubeVirt['spec']['configuration']>) =>
    Object.keys(
      launcherPod(windows, { kubevirt: { metadata: { name: 'k' }, spec: { configuration } } }).spec
        .nodeSelector ?? {},
    ).filter((key) => /hyperv|vendor/.test(key))
  expect(labels({})).toEqual([])
  expect(labels(strict)).toEqual([
    'hyperv.node.kubevirt.io/vpindex',
    'hyperv.node.kubevirt.io/synictimer',
    'cpu-vendor.node.kubevirt.io/Intel',
  ])
})

describe('a target pod', () => {
  const node = (labels: Record<string, string>): Node => ({
    metadata: { name: 'node-1', labels },
    spec: {},
  })
  const intel = node({
    'cpu-vendor.node.kubevirt.io/Intel': 'true',
    'host-model-cpu.node.kubevirt.io/Skylake-Server': 'true',
    'host-model-required-features.node.kubevirt.io/avx512f': 'true',
  })
  const source: Pod = { metadata: { name: 'source' }, spec: { containers: [], nodeSelector: {} } }
  const running = { nodeName: 'node-1', selinuxContext: 'none', machine: { type: 'pc-q35-9.6' } }
  const render = (of: Vmi, options: object = {}, added?: Record<string, string>) => {
    const made = migration('m')
    if (added) made.spec.addedNodeSelector = added
    return targetPod(of, made, {
      kubevirt: undefined,
      release,
      sourceNode: intel,
      sourcePod: source,
      ...options,
    })
  }
  const selectorOf = (result: ReturnType<typeof render>) =>
    result.ok ? result.pod.spec.nodeSelector : result.error

  test('asks for the machine that runs, the vendor, and to be away from its own VM', () => {
    const result = render(vmi({ status: running }))
    expect(selectorOf(result)).toEqual({
      'cpu-model.node.kubevirt.io/Haswell': 'true',
      'cpu-vendor.node.kubevirt.io/Intel': 'true',
      'kubernetes.io/arch': 'amd64',
      'kubevirt.io/schedulable': 'true',
      'machine-type.node.kubevirt.io/pc-q35-9.6': 'true',
    })
    expect(result.ok && result.pod.metadata).toMatchObject({
      labels: { 'kubevirt.io/migrationJobUID': 'uid-m' },
      annotations: { 'kubevirt.io/migrationJobName': 'm' },
    })
    expect(result.ok && result.pod.spec.affinity).toEqual({
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            labelSelector: { matchLabels: { 'kubevirt.io/created-by': 'uid-vm-1' } },
            topologyKey: 'kubernetes.io/hostname',
          },
        ],
      },
    })
  })

  test('an added selector narrows, it never replaces the VM’s own', () => {
    const of = vmi({ status: running, spec: { nodeSelector: { zone: 'a' } } })
    expect(selectorOf(render(of, {}, { zone: 'b', rack: '7' }))).toMatchObject({
      zone: 'a',
      rack: '7',
    })
  })

  describe('of a host-model VM', () => {
    const hostModel = withDomain({ cpu: { model: 'host-model' } }, running)

    test('asks for the model and features of the source node', () => {
      expect(selectorOf(render(hostModel))).toMatchObject({
        'cpu-model-migration.node.kubevirt.io/Skylake-Server': 'true',
        'cpu-feature.node.kubevirt.io/avx512f': 'true',
      })
    })

    test('and later for what its pod asked, so that it can go back', () => {
      const moved: Pod = {
        ...source,
        spec: {
          containers: [],
          nodeSelector: { 'cpu-model-migration.node.kubevirt.io/Haswell': 'true' },
        },
      }
      const selector = selectorOf(render(hostModel, { sourcePod: moved }))
      expect(selector).toHaveProperty(['cpu-model-migration.node.kubevirt.io/Haswell'])
      expect(selector).not.toHaveProperty(['cpu-model-migration.node.kubevirt.io/Skylake-Server'])
    })

    test('keeps its affinity and shuns nodes with an obsolete model', () => {
      const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1 }] }
      const picky: Vmi = {
        ...hostModel,
        spec: { ...hostModel.spec, affinity: { nodeAffinity: preferred } },
      }
      const result = render(picky)
      expect(result.ok && result.pod.spec.affinity).toMatchObject({
        nodeAffinity: {
          ...preferred,
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  {
                    key: 'node-labeller.kubevirt.io/obsolete-host-model',
                    operator: 'DoesNotExist',
                  },
                ],
              },
            ],
          },
        },
      })
    })

    test('cannot be rendered where the source node does not say its model', () => {
      expect(selectorOf(render(hostModel, { sourceNode: node({}) }))).toBe(
        'unable to locate host cpu model, does not contain label "host-model-cpu.node.kubevirt.io/" with information',
      )
    })
  })

  test('cannot be rendered without a source node, or before SELinux is known', () => {
    expect(selectorOf(render(vmi({ status: running }), { sourceNode: undefined }))).toBe(
      'node "node-1" associated with vmi "vm-1" does not exist',
    )
    expect(selectorOf(render(vmi()))).toBe('SELinux context not set on VMI status')
  })

  test('runs with the level of the source, unless the cluster says otherwise', () => {
    const labelled = vmi({
      status: { ...running, selinuxContext: 'system_u:system_r:container_t:s0:c1,c2' },
    })
    const options = (configuration: Record<string, unknown>) => {
      const result = render(labelled, { kubevirt: kubevirt(configuration) })
      return result.ok && result.pod.spec.securityContext?.['seLinuxOptions']
    }
    expect(options({})).toEqual({ level: 's0:c1,c2' })
    expect(options({ migrations: { matchSELinuxLevelOnMigration: false } })).toBeUndefined()
  })
})

test('a feature that the guest forbids keeps it from nodes that have it', () => {
  const cpu = { model: 'Haswell', features: [{ name: 'vmx', policy: 'forbid' }, { name: 'aes' }] }
  const { spec } = launcherPod(withDomain({ cpu }), { kubevirt: undefined })
  expect(spec.nodeSelector).toHaveProperty(['cpu-feature.node.kubevirt.io/aes'], 'true')
  expect(spec.affinity).toEqual({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: 'cpu-feature.node.kubevirt.io/vmx', operator: 'DoesNotExist' },
            ],
          },
        ],
      },
    },
  })
})
