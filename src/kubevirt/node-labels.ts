/** Label prefixes that virt-handler's node labeller sets, and that launcher pods select by (control-plane.md §1.5). */
export const NODE_LABEL = {
  cpuFeature: 'cpu-feature.node.kubevirt.io/',
  cpuManager: 'kubevirt.io/cpumanager',
  cpuModel: 'cpu-model.node.kubevirt.io/',
  cpuModelMigration: 'cpu-model-migration.node.kubevirt.io/',
  cpuVendor: 'cpu-vendor.node.kubevirt.io/',
  hostModelCpu: 'host-model-cpu.node.kubevirt.io/',
  hostModelFeatures: 'host-model-required-features.node.kubevirt.io/',
  machineType: 'machine-type.node.kubevirt.io/',
  obsoleteHostModel: 'node-labeller.kubevirt.io/obsolete-host-model',
  realtime: 'kubevirt.io/realtime',
  schedulable: 'kubevirt.io/schedulable',
  sev: 'kubevirt.io/sev',
  sevEs: 'kubevirt.io/sev-es',
  sevSnp: 'kubevirt.io/sev-snp',
  tdx: 'kubevirt.io/tdx',
  tscFrequency: 'scheduling.node.kubevirt.io/tsc-frequency-',
} as const
