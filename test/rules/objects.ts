import type { Condition, Migration, Pod, ResourceQuota, Vmi } from '../../src/kubevirt/types.ts'

/** The VM of the recorded scenarios: 64Mi, one vCPU, running on node-1. */
export function vmi(
  overrides: { name?: string; status?: Partial<Vmi['status']>; spec?: object } = {},
): Vmi {
  const name = overrides.name ?? 'vm-1'
  return {
    metadata: { name, namespace: 'demo', uid: `uid-${name}`, labels: { app: name } },
    spec: {
      evictionStrategy: 'LiveMigrate',
      terminationGracePeriodSeconds: 0,
      domain: {
        machine: { type: 'q35' },
        resources: { requests: { memory: '64Mi' } },
        devices: { disks: [], interfaces: [{ name: 'default', masquerade: {} }] },
        cpu: { cores: 1, sockets: 1, threads: 1, model: 'Haswell' },
        memory: { guest: '64Mi' },
      },
      networks: [{ name: 'default', pod: {} }],
      volumes: [],
      ...overrides.spec,
    },
    status: {
      phase: 'Running',
      nodeName: 'node-1',
      conditions: [condition('LiveMigratable', 'True')],
      ...overrides.status,
    },
  }
}

export function condition(
  type: string,
  status: Condition['status'],
  reason?: string,
  message?: string,
): Condition {
  return { type, status, ...(reason ? { reason } : {}), ...(message ? { message } : {}) }
}

export function migration(
  name: string,
  overrides: {
    phase?: string
    vmiName?: string
    priority?: string
    namespace?: string
    metadata?: object
    status?: object
  } = {},
): Migration {
  const vmiName = overrides.vmiName ?? 'vm-1'
  return {
    metadata: {
      name,
      namespace: overrides.namespace ?? 'demo',
      uid: `uid-${name}`,
      labels: { 'kubevirt.io/vmi-name': vmiName },
      ...overrides.metadata,
    },
    spec: { vmiName, ...(overrides.priority ? { priority: overrides.priority } : {}) },
    status: { phase: overrides.phase ?? '', ...overrides.status },
  }
}

/** A launcher pod that asks for what the recorded ones ask for. */
export function launcher(name: string, overrides: { phase?: string; metadata?: object } = {}): Pod {
  return {
    metadata: { name, namespace: 'demo', uid: `uid-${name}`, ...overrides.metadata },
    spec: {
      containers: [
        {
          name: 'compute',
          resources: {
            requests: { cpu: '100m', memory: '360576Ki', 'ephemeral-storage': '50M' },
          },
        },
      ],
      initContainers: [
        {
          name: 'guest-console-log',
          restartPolicy: 'Always',
          resources: {
            requests: { cpu: '5m', memory: '35M' },
            limits: { cpu: '15m', memory: '60M' },
          },
        },
      ],
    },
    status: { phase: overrides.phase ?? 'Running' },
  }
}

export function quota(hard: Record<string, string>, used?: Record<string, string>): ResourceQuota {
  return {
    metadata: { name: 'mem', namespace: 'demo' },
    spec: { hard },
    ...(used ? { status: { hard, used } } : {}),
  }
}
