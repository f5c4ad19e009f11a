import type { KubeObject } from '../kubevirt/types.ts'
import type { Remedy } from './finding.ts'
import type { World } from './subject.ts'
import { shell } from './words.ts'

/**
 * How KubeVirt's settings are changed in this cluster: where an operator owns the KubeVirt CR, what is changed in the CR
 * itself is lost (design.md §4, Remedies).
 * @param spec what to merge into `spec` of the KubeVirt CR; HyperConverged has the same fields without `configuration`,
 * and `liveMigrationConfig` for `migrations`
 */
export function settingRemedy(text: string, spec: Record<string, unknown>, world: World): Remedy {
  const {
    namespace = 'kubevirt',
    name = 'kubevirt',
    ownerReferences = [],
  } = world.kubevirt?.metadata ?? {}
  const hco = world.evidence.objects.list<KubeObject>('HyperConverged')[0]
  const owner =
    hco?.metadata.name ?? ownerReferences.find(({ kind }) => kind === 'HyperConverged')?.name
  if (owner !== undefined) {
    const patch = JSON.stringify({ spec: forHyperConverged(spec) })
    return {
      text: `${text}, in the HyperConverged object, which owns the KubeVirt CR`,
      command: shell`kubectl -n ${hco?.metadata.namespace ?? namespace} patch hyperconverged ${owner} --type merge -p ${patch}`,
    }
  }
  const harvester = namespace === 'harvester-system'
  return {
    text: `${text}${harvester ? ' (Harvester manages this KubeVirt CR and may set it back: prefer its own settings)' : ''}`,
    command: shell`kubectl -n ${namespace} patch kubevirt ${name} --type merge -p ${JSON.stringify({ spec })}`,
  }
}

function forHyperConverged({
  configuration,
  ...rest
}: Record<string, unknown>): Record<string, unknown> {
  const { migrations, ...other } = (configuration ?? {}) as Record<string, unknown>
  return { ...rest, ...other, ...(migrations !== undefined && { liveMigrationConfig: migrations }) }
}
