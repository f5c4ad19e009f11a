import type { Check } from '../check.ts'
import { finding } from '../finding.ts'

/** vmi.status.migrationState carries another uid than the migration that is (or was) under way. */
export const takenOver: Check = {
  name: 'owner of the migration state',
  when: ({ said }) => said.some(({ row }) => row.code === 'MIG4011' || row.code === 'MIG4012'),
  needs: ['VirtualMachineInstance'],
  judge(subject, world) {
    if (!subject.troubled) return []
    const uid = subject.vmi?.status?.migrationState?.migrationUid
    const said = subject.said.find(({ row }) => row.code === 'MIG4011' || row.code === 'MIG4012')!
    const owner = world.migrations.find(({ metadata }) => metadata.uid === uid)
    const cleared = said.row.code === 'MIG4012'
    return [
      finding({
        code: cleared ? 'MIG4012' : 'MIG4011',
        title: cleared
          ? `The migration state of ${subject.name} was cleared during the migration`
          : `The migration state of ${subject.name} was taken over: migrationUid is now ${uid ?? 'another'}`,
        objects: [subject.ref, `vmi/${subject.namespace}/${subject.name}`],
        evidence: [
          {
            source: said.source,
            ...(said.field !== undefined && { field: said.field }),
            value: said.quote,
          },
          ...(uid
            ? [
                {
                  source: `vmi/${subject.namespace}/${subject.name}`,
                  field: 'status.migrationState.migrationUid',
                  value: `${uid}, this migration is ${subject.migration?.metadata.uid ?? ''}`,
                },
              ]
            : []),
        ],
        cause: owner
          ? `It belongs to the migration ${owner.metadata.name}`
          : 'No migration with that uid is in what was read: something that is not virt-controller wrote the VMI’s status',
        confidence: owner ? 'certain' : 'likely',
        remedy: [
          {
            text: 'Look for other migrations of the VM, and for tools (backup, GitOps, scripts) that patch its status',
          },
        ],
      }),
    ]
  },
}

/** A VM that ended while it was moved; short for what its status says. */
export const vmEnded: Check = {
  name: 'the VM lives on',
  when: ({ migration, vmi, phase }) =>
    migration !== undefined &&
    phase !== 'Succeeded' &&
    (vmi?.status?.phase === 'Succeeded' || vmi?.status?.phase === 'Failed'),
  needs: ['VirtualMachineInstance'],
  judge(subject) {
    const said = subject.said.find(({ row }) => row.code === 'MIG4013')
    const ended = subject.sourcePod?.status?.containerStatuses?.find(
      ({ name }) => name === 'compute',
    )?.state?.terminated
    if (!said && !ended && subject.phase === 'Failed') return []
    const how = ended ? `${ended.reason ?? 'ended'}, exit code ${ended.exitCode ?? '?'}` : ''
    const pod = `pod/${subject.namespace}/${subject.sourcePod?.metadata.name ?? ''}`
    return [
      finding({
        code: 'MIG4013',
        title: `${subject.name} ended during its migration: the VMI is ${subject.vmi?.status?.phase}${how ? `, its source launcher ${how}` : ''}`,
        objects: [`vmi/${subject.namespace}/${subject.name}`, subject.ref],
        evidence: [
          ...(said ? [{ source: said.source, value: said.quote }] : []),
          ...(ended ? [{ source: pod, field: 'container compute', value: how }] : []),
        ],
        cause: `${/OOM/.test(how) || ended?.exitCode === 137 ? 'The source launcher was killed (memory limit or eviction)' : 'The guest powered off or crashed'} while it was moved; the migration ${subject.phase === 'Failed' ? 'ended' : 'ends'} with it`,
        confidence: said ? 'certain' : 'likely',
        remedy: [{ text: 'See why the guest ended; start the VM again' }],
      }),
    ]
  },
}
