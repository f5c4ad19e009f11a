import type { Vm } from '../../kubevirt/types.ts'
import { claimOf } from '../../kubevirt/volumes.ts'
import { needsRecovery } from '../../rules/vm-volume-recovery.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { listing, shell } from '../words.ts'

interface Moved {
  name: string
  from: string
  to: string
  /** Where in the VM that is. */
  path: string
}

/** A VM that KubeVirt does not start: its guest was lost while its volumes were copied (control-plane.md §5.3). */
export const volumeRecovery: Check = {
  name: 'volumes that were left between two claims',
  when: ({ vm }) => vm !== undefined && needsRecovery(vm),
  needs: [],
  judge({ vm, namespace, name }) {
    const ref = `vm/${namespace}/${name}`
    const moved = movedVolumes(vm!)
    const back = moved.map(({ path, from }) => ({ op: 'replace', path, value: from }))
    const condition = vm!.status?.conditions?.find(({ type }) => type === 'ManualRecoveryRequired')
    return [
      finding({
        code: 'MIG3077',
        title: `${name} is not started: its guest was lost while its volumes were copied`,
        objects: [ref, ...moved.map(({ from }) => `pvc/${namespace}/${from}`)],
        evidence: [
          {
            source: ref,
            field: 'condition ManualRecoveryRequired',
            value: condition?.reason ?? 'True',
          },
          ...moved.map(({ name, from, to }) => ({
            source: ref,
            field: 'status.volumeUpdateState',
            value: `volume ${name} is still to go from ${from} to ${to}`,
          })),
        ],
        cause: `Until such a copy has ended the guest writes to the old claims${moved.length > 0 ? ` (${listing(moved.map(({ from }) => from))})` : ''}, and what is in the new ones is not whole; but the VM names the new ones, and KubeVirt does not start it so`,
        remedy: [
          back.length > 0
            ? {
                text: 'Name the old claims in the VM again; it is started then',
                command: shell`kubectl -n ${namespace} patch vm ${name} --type=json -p ${JSON.stringify(back)}`,
              }
            : { text: 'Name the old claims in the VM again; it is started then' },
        ],
        endsByItself: 'no',
      }),
    ]
  },
}

/** Volumes of the template that name the claim that they were to go to. */
function movedVolumes({ spec, status }: Vm): Moved[] {
  const volumes = spec.template?.spec.volumes ?? []
  const migrated = status?.volumeUpdateState?.volumeMigrationState?.migratedVolumes ?? []
  return migrated.flatMap((entry): Moved[] => {
    const index = volumes.findIndex(({ name }) => name === entry['volumeName'])
    const volume = volumes[index]
    const from = (entry['sourcePVCInfo'] as { claimName?: string } | undefined)?.claimName
    const to = volume && claimOf(volume)
    if (!from || !to || from === to) return []
    const field = volume.dataVolume ? 'dataVolume/name' : 'persistentVolumeClaim/claimName'
    return [{ name: volume.name, from, to, path: `/spec/template/spec/volumes/${index}/${field}` }]
  })
}
