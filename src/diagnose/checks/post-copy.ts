import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { short } from '../words.ts'
import { evidenceOf, objectsOf } from './texts.ts'

/** Post-copy: who allows it, and what its failure means. */
export const postCopy: Check = {
  name: 'post-copy',
  when: ({ said, state, troubled, phase }) =>
    troubled &&
    (said.some(({ row }) => row.code === 'MIG8012' || row.code === 'MIG8013') ||
      (state?.mode === 'PostCopy' && phase === 'Failed')),
  needs: [],
  judge(subject) {
    const impossible = subject.said.filter(({ row }) => row.code === 'MIG8012')
    const lost = subject.said.filter(({ row }) => row.code === 'MIG8013')
    if (lost.length > 0 || subject.state?.mode === 'PostCopy')
      return [
        finding({
          code: 'MIG8013',
          title: `${subject.name || 'The VM'} is lost: the stream broke in post-copy mode${lost.some(({ quote }) => /PostcopyFailed/.test(quote)) ? ' (PostcopyFailed)' : ''}`,
          objects: objectsOf(subject),
          evidence: evidenceOf(lost, 2),
          cause: `After the switch to post-copy the memory is split over both nodes${subject.sourceNode ? ` (${subject.sourceNode}, ${subject.targetNode})` : ''}, and KubeVirt cannot recover it${subject.vmi?.status?.phase === 'Failed' ? '; the VMI is Failed' : ''}. Why the stream broke is not in the text: a restart of virt-handler, or the network`,
          remedy: [
            { text: 'Restart the VM', risk: 'what was in its memory is gone' },
            { text: 'Find out why the stream broke before post-copy is used again' },
          ],
          endsByItself: 'no',
        }),
      ]
    const policy =
      subject.state?.migrationPolicyName ??
      subject.migration?.status?.migrationState?.migrationPolicyName
    const what = impossible[0]!.groups.what ?? ''
    return [
      finding({
        code: 'MIG8012',
        title: `Post-copy is not available on ${subject.targetNode ?? 'the target'}: ${short(what.startsWith('Postcopy') || what.startsWith('Enable') ? what : `userfaultfd is denied to the launcher (${what})`)}`,
        objects: [...objectsOf(subject), ...(policy ? [`migrationpolicy/${policy}`] : [])],
        evidence: evidenceOf(impossible, 2),
        cause: `allowPostCopy is on${policy ? `, by the MigrationPolicy ${policy}` : ''}, and the migration ends before it copies anything: pre-copy was never tried`,
        remedy: [
          ...(/userfaultfd|not permitted/i.test(impossible[0]!.quote)
            ? [
                {
                  text: 'Allow it on ALL nodes that run VMs',
                  command: 'sysctl vm.unprivileged_userfaultfd=1',
                },
              ]
            : []),
          {
            text: `${/userfaultfd|not permitted/i.test(impossible[0]!.quote) ? 'Or switch' : 'Switch'} allowPostCopy off${policy ? ` in ${policy}` : ''}`,
          },
        ],
      }),
    ]
  },
}
