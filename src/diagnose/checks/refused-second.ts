import { isFinal } from '../../kubevirt/migration.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { shell } from '../words.ts'
import { evidenceOf } from './texts.ts'

/** Somebody wanted another migration of the VM, and was refused because of this one. */
export const refusedSecond: Check = {
  name: 'further migrations of the VM',
  when: ({ migration, said }) =>
    migration !== undefined &&
    !isFinal(migration) &&
    said.some(({ row }) => row.code === 'MIG1012'),
  needs: [],
  judge(subject) {
    const { name } = subject.migration!.metadata
    return [
      finding({
        code: 'MIG1012',
        title: `A further migration of ${subject.name} was refused: ${name} is in flight (${subject.phase || 'just created'})`,
        status: 'warn',
        objects: [subject.ref],
        evidence: evidenceOf(
          subject.said.filter(({ row }) => row.code === 'MIG1012'),
          1,
        ),
        cause: `KubeVirt admits one migration of a VM at a time, and one that is being deleted still counts`,
        remedy: [
          {
            text: `Wait for ${name}`,
            command: shell`kubectl mig status -n ${subject.namespace} ${subject.name} -w`,
          },
          {
            text: 'Or cancel it',
            command: shell`kubectl mig cancel -n ${subject.namespace} vmim/${name}`,
            risk: 'the attempt ends',
          },
        ],
      }),
    ]
  },
}
