import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { listing } from '../words.ts'
import { commonModels } from './placement-selector.ts'
import { evidenceOf, objectsOf } from './texts.ts'

/** libvirt's check of the guest's CPU on the target. */
export const cpu: Check = {
  name: 'the guest’s CPU on the target',
  when: ({ said, troubled }) =>
    troubled && said.some(({ row, groups }) => row.code === 'MIG8001' && groups.features),
  needs: [],
  judge(subject, world) {
    const said = subject.said.filter(({ row }) => row.code === 'MIG8001')
    const best =
      said.find(({ quote }) => /missing features/.test(quote)) ??
      said.find(({ groups }) => groups.features)!
    const features = (best.groups.features ?? '').split(',').filter((name) => name !== '')
    const nested = features.length > 0 && features.every((name) => /vmx|svm/.test(name))
    const models = commonModels(world.nodes)
    const target = subject.targetNode ?? 'the target'
    const labelled =
      world.nodes.find(({ metadata }) => metadata.name === subject.targetNode)?.metadata.labels ??
      {}
    const claimed = features.filter(
      (name) => labelled[`cpu-feature.node.kubevirt.io/${name}`] === 'true',
    )
    return [
      finding({
        code: 'MIG8001',
        title: `The CPU of ${target} lacks features of the guest: ${features.join(', ')}`,
        objects: objectsOf(subject),
        evidence: evidenceOf(said, 2),
        cause: `libvirt on the target checks the guest’s CPU before it takes over, and missing features end the migration${subject.sourceNode ? `; they are there on the source ${subject.sourceNode}` : ''}.${nested ? ' Only vmx/svm features are missing: nested virtualization is exposed to the guest.' : ''}${claimed.length > 0 ? ` The label of ${target} claims ${listing(claimed)}: labels can be edited by hand or be stale, libvirt’s check decides.` : ''}${sameHostModel(subject, world) ? ' Both nodes report the same host model: not the hardware differs, but microcode, or the libvirt and QEMU of the launchers.' : ''}`,
        remedy: [
          {
            text:
              models.length > 0
                ? `Set spec.domain.cpu.model to a model that all nodes offer (${listing(models)}) and restart the VM`
                : 'Set spec.domain.cpu.model to a named CPU model that all nodes offer, and restart the VM',
          },
          {
            text: nested
              ? 'Or leave nested virtualization out of the guest’s CPU (policy disable for vmx or svm)'
              : 'Or move it among nodes of the same CPU, microcode and KubeVirt release',
          },
        ],
      }),
    ]
  },
}

function sameHostModel({ sourceNode, targetNode }: Subject, { nodes }: World): boolean {
  const models = [sourceNode, targetNode].map((name) => {
    const labels = nodes.find(({ metadata }) => metadata.name === name)?.metadata.labels ?? {}
    return Object.keys(labels)
      .filter((key) => key.startsWith('host-model-cpu.node.kubevirt.io/'))
      .sort()
      .join()
  })
  return models[0] !== '' && models[0] === models[1]
}
