import { defineKind, type Kind } from '../kind.ts'

/** Group, versions (the preferred one first), plural and kind; the last word tells what is cluster-scoped. */
const TABLE = `
backup.kubevirt.io v1alpha1 virtualmachinebackups VirtualMachineBackup
backup.kubevirt.io v1alpha1 virtualmachinebackuptrackers VirtualMachineBackupTracker
clone.kubevirt.io v1beta1,v1alpha1 virtualmachineclones VirtualMachineClone
export.kubevirt.io v1,v1beta1 virtualmachineexports VirtualMachineExport
instancetype.kubevirt.io v1beta1 virtualmachineclusterinstancetypes VirtualMachineClusterInstancetype cluster
instancetype.kubevirt.io v1beta1 virtualmachineclusterpreferences VirtualMachineClusterPreference cluster
instancetype.kubevirt.io v1beta1 virtualmachineinstancetypes VirtualMachineInstancetype
instancetype.kubevirt.io v1beta1 virtualmachinepreferences VirtualMachinePreference
plugin.kubevirt.io v1alpha1 plugins Plugin cluster
pool.kubevirt.io v1beta1,v1alpha1 virtualmachinepools VirtualMachinePool
snapshot.kubevirt.io v1beta1,v1alpha1 virtualmachinerestores VirtualMachineRestore
snapshot.kubevirt.io v1beta1,v1alpha1 virtualmachinesnapshotcontents VirtualMachineSnapshotContent
snapshot.kubevirt.io v1beta1,v1alpha1 virtualmachinesnapshots VirtualMachineSnapshot
`

/** KubeVirt's kinds that have no part in a migration: they are there, and keep what they are given. */
export const BYSTANDER_KINDS: Kind[] = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [group = '', versions = '', plural = '', kind = '', scope] = line.split(' ')
    const [version = '', ...deprecatedVersions] = versions.split(',')
    return defineKind({
      group,
      version,
      deprecatedVersions,
      plural,
      kind,
      namespaced: scope === undefined,
      builtIn: false,
      columns: [{ name: 'Age', type: 'date', cell: 'metadata.creationTimestamp' }],
    })
  })
