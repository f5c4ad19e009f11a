import { PODS, VMIS } from '../../src/kubevirt/resources.ts'
import type { KubeObject, Vmi } from '../../src/kubevirt/types.ts'
import type { ReplayLab } from './lab.ts'
import { resourceOf } from './perform.ts'
import type { Input } from './scenario.ts'

/** ms without a write, after which all that follows from the last one has been written. */
const QUIET = 300

/** What an input still waits for; undefined when it may go. */
export function waitsFor(
  input: Input,
  previous: Input | undefined,
  lab: ReplayLab,
): string | undefined {
  const unknown = lab.names.unresolved([input.body, input.op === 'PUT' ? input.kind : ''])
  if (unknown !== undefined) return `${unknown} to stand for something`
  if (input.op === 'create' || input.op === 'PUT') return restless(input, previous, lab)
  const name = lab.names.resolveName(input.name ?? '')
  const resource = resourceOf(input.kind)
  const object = name === undefined ? undefined : lab.find<KubeObject>(resource, name)
  if (!object) return `${input.kind} ${input.name} to exist`
  if (input.op === 'delete' && input.by === 'kubelet' && !object.metadata.deletionTimestamp)
    return `${input.kind} ${input.name} to be deleted`
  if (resource.plural === VMIS.plural && input.by.startsWith('virt-handler@')) {
    const wanted = vmiWait(input, object as Vmi)
    if (wanted) return wanted
  }
  return restless(input, previous, lab)
}

function vmiWait({ by, body }: Input, vmi: Vmi): string | undefined {
  const node = by.split('@')[1]
  const { nodeName, migrationState, phase } = vmi.status ?? {}
  if (nodeName !== node && migrationState?.targetNode !== node)
    return `VMI ${vmi.metadata.name} to be on, or to go to, ${node}`
  const runs = (body?.['status'] as { phase?: string } | undefined)?.phase === 'Running'
  // What runs already may be told again.
  if (runs && phase !== 'Scheduled' && phase !== 'Running')
    return `VMI ${vmi.metadata.name} to be Scheduled`
  return undefined
}

/** Those who react to KubeVirt do so when it has finished. */
function restless(
  input: Input,
  previous: Input | undefined,
  { quietFor, controllers }: ReplayLab,
): string | undefined {
  if (!/^(kubelet|scheduler|virt-handler@)/.test(input.by)) return undefined
  const follows =
    input.by === 'kubelet' &&
    input.op === 'delete' &&
    previous?.by === 'kubelet' &&
    previous.kind === PODS.kind &&
    previous.name === input.name
  if (follows) return undefined
  if (quietFor() < QUIET) return 'nothing to be written any more'
  return controllers.idle() ? undefined : 'the controllers to have nothing to do'
}
