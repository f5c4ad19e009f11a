import { LABEL } from '../kubevirt/labels.ts'
import { NODE_LABEL } from '../kubevirt/node-labels.ts'
import type { Quantity, Vm } from '../kubevirt/types.ts'
import { LAB_ANNOTATION } from './annotations.ts'

/** What the lab plays; its controllers follow this release. */
export const KUBEVIRT_VERSION = 'v1.9.0'
/** Where KubeVirt itself is installed. */
export const NAMESPACE = 'kubevirt'
const LOCAL_DISK = '16Mi'

export interface LabVm {
  /** Guest memory. */
  memory: Quantity
  /** Memory that the guest writes a second. */
  dirtyRate?: Quantity | undefined
}

/** A node as it looks with KubeVirt on it; the host model is the same everywhere, so that every VM may go anywhere. */
export function labNode(name: string, address: string): object {
  const resources = {
    cpu: '16',
    memory: '32Gi',
    pods: '110',
    'ephemeral-storage': '100Gi',
    'devices.kubevirt.io/kvm': '1k',
    'devices.kubevirt.io/tun': '1k',
    'devices.kubevirt.io/vhost-net': '1k',
  }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: nodeLabels(name) },
    spec: {},
    status: {
      capacity: resources,
      allocatable: resources,
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      nodeInfo: {
        architecture: 'amd64',
        operatingSystem: 'linux',
        osImage: 'kubectl-mig lab',
        kernelVersion: '6.12.0',
        kubeletVersion: 'v1.36.3',
        kubeProxyVersion: '',
        containerRuntimeVersion: 'cri-o://1.36.0',
        machineID: '',
        systemUUID: '',
        bootID: '',
      },
    },
  }
}

function nodeLabels(name: string): Record<string, string> {
  const { cpuFeature, cpuModel, cpuModelMigration, cpuVendor } = NODE_LABEL
  const { hostModelCpu, hostModelFeatures, machineType } = NODE_LABEL
  const marks = [
    `${cpuFeature}avx512f`,
    `${cpuModelMigration}Skylake-Server`,
    `${cpuModel}Haswell`,
    `${cpuModel}Skylake-Server`,
    `${cpuVendor}Intel`,
    `${hostModelCpu}Skylake-Server`,
    `${hostModelFeatures}avx512f`,
    `${machineType}pc-q35-rhel9.6.0`,
    `${machineType}q35`,
    LABEL.schedulable,
  ]
  return {
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    ...Object.fromEntries(marks.map((mark) => [mark, 'true'])),
  }
}

export const KUBEVIRT_STATUS = {
  phase: 'Deployed',
  defaultArchitecture: 'amd64',
  observedKubeVirtVersion: KUBEVIRT_VERSION,
  operatorVersion: KUBEVIRT_VERSION,
  targetKubeVirtVersion: KUBEVIRT_VERSION,
  outdatedVirtualMachineInstanceWorkloads: 0,
}

/** The KubeVirt CR; its status is written on its own. */
export function labKubeVirt(): object {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: { name: 'kubevirt', namespace: NAMESPACE },
    // As HCO has it; without a method nothing that needs a new launcher moves by itself.
    spec: { configuration: {}, workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate'] } },
  }
}

/** A VM that is to run; with a local disk it can only move by block migration. */
export function labVm(name: string, vm: LabVm, localDisk: boolean): Vm {
  const annotations = vm.dirtyRate ? { [LAB_ANNOTATION.dirtyRate]: String(vm.dirtyRate) } : {}
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: 'default', labels: { app: name } },
    spec: {
      runStrategy: 'Always',
      template: {
        metadata: { name, labels: { app: name }, annotations },
        spec: {
          evictionStrategy: 'LiveMigrate',
          terminationGracePeriodSeconds: 0,
          domain: {
            cpu: { cores: 1, sockets: 1, threads: 1, model: 'Haswell' },
            memory: { guest: vm.memory },
            devices: {
              disks: localDisk ? [{ name: 'scratch', disk: { bus: 'virtio' } }] : [],
              interfaces: [{ name: 'default', masquerade: {} }],
            },
          },
          networks: [{ name: 'default', pod: {} }],
          volumes: localDisk ? [{ name: 'scratch', emptyDisk: { capacity: LOCAL_DISK } }] : [],
        },
      },
    },
  }
}
