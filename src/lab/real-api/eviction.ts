import type { Cluster } from '../../cluster/cluster.ts'
import { getIfExists, list, patch } from '../../cluster/objects.ts'
import { ANNOTATION } from '../../kubevirt/labels.ts'
import { KUBEVIRTS, PODS, VMIS } from '../../kubevirt/resources.ts'
import type { KubeVirt, Pod, Vmi } from '../../kubevirt/types.ts'
import { answerEviction, attachmentOwner, evictedVm } from '../../rules/eviction.ts'
import { refusalError } from '../api/admission/refuse.ts'
import { type AdmissionReview, answer } from './admission.ts'

/** What KubeVirt's webhook on evictions answers (rules/eviction.ts); it marks a VM that is to be moved first. */
export async function interceptEviction(
  review: AdmissionReview,
  cluster: Cluster,
): Promise<object> {
  const { namespace = '', name = '', object, dryRun = false } = review.request
  const pod = await getIfExists<Pod>(cluster, PODS, { namespace, name })
  if (!pod) return answer(review, () => [])
  const owner = attachmentOwner(pod)
  const launcher = owner && (await getIfExists<Pod>(cluster, PODS, { namespace, name: owner.name }))
  const vmiName = evictedVm(pod, launcher)
  const at = { namespace, name: vmiName ?? '' }
  const vmi = vmiName === undefined ? undefined : await getIfExists<Vmi>(cluster, VMIS, at)
  const [kubevirt] = (await list<KubeVirt>(cluster, KUBEVIRTS, {})).items
  const requestedBy = object?.metadata.annotations?.['requested-by']
  const decision = answerEviction(pod, vmiName, vmi, kubevirt, requestedBy)
  if (decision.answer === 'allow') return answer(review, () => [])
  if (decision.mark) {
    const { node, descheduler } = decision.mark
    const annotations = descheduler ? { [ANNOTATION.evictionSource]: 'descheduler' } : {}
    const mark = { metadata: { annotations }, status: { evacuationNodeName: node } }
    await patch(cluster, VMIS, at, mark, 'merge', dryRun ? { dryRun: true } : {})
  }
  return answer(review, () => {
    throw refusalError(decision.refusal)
  })
}
