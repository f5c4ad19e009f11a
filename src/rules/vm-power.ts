import { conditionOf } from '../kubevirt/migration.ts'
import type { Vm, Vmi } from '../kubevirt/types.ts'
import { hasEnded, runStrategyOf } from './vm-run.ts'

export type PowerVerb = 'start' | 'stop' | 'restart'

/** The bodies of `PUT virtualmachines/NAME/start`, `stop` and `restart`. */
export interface PowerOptions {
  /** Of start: the guest's CPUs stand still. */
  paused?: boolean
  /** Of stop, in seconds. */
  gracePeriod?: number
  /** Of restart, in seconds: 0 is by force. */
  gracePeriodSeconds?: number
}

type Request = NonNullable<NonNullable<Vm['status']>['stateChangeRequests']>[number]

export type PowerAnswer =
  /** Another way to run from now on, or something that virt-controller is asked for once; the VMI's grace in seconds. */
  | ({ ok: true; grace?: number } & ({ runStrategy: string } | { requests: Request[] }))
  | { ok: false; code: 400 | 409 | 500; message: string }

const RECOVERY =
  'VM recovery required: Volume migration failed, leaving some volumes pointing to non-consistent targets; manual intervention is needed to reassign them to their original volumes.'

/** What virt-api makes of a wish to start, stop or restart a VM: its texts and codes are known from public code. */
export function powerOf(
  verb: PowerVerb,
  vm: Vm,
  vmi: Vmi | undefined,
  options: PowerOptions,
): PowerAnswer {
  switch (verb) {
    case 'start':
      return startOf(vm, vmi, options)
    case 'stop':
      return stopOf(vm, vmi, options)
    case 'restart':
      return restartOf(vm, vmi, options)
  }
}

function startOf(vm: Vm, vmi: Vmi | undefined, { paused = false }: PowerOptions): PowerAnswer {
  if (vmi && !hasEnded(vmi) && vmi.status?.phase) return conflict('VM is already running')
  if (conditionOf(vm, 'ManualRecoveryRequired')?.status === 'True') return conflict(RECOVERY)
  const strategy = runStrategyOf(vm)
  const start = { action: 'Start', ...(paused ? { data: { paused: 'true' } } : {}) }
  switch (strategy) {
    case 'Halted':
      return paused ? ask(vm, [start]) : { ok: true, runStrategy: 'Always' }
    case 'RerunOnFailure':
      if (vmi?.status?.phase === 'Failed')
        return conflict(`${strategy} does not support starting VM from failed state`)
      return ask(vm, vmi && hasEnded(vmi) ? [stopping(vmi), start] : [start])
    case 'Manual':
      return ask(vm, vmi && hasEnded(vmi) ? [stopping(vmi), start] : [start])
    default:
      return conflict(`${strategy} does not support manual start requests`)
  }
}

function stopOf(vm: Vm, vmi: Vmi | undefined, { gracePeriod }: PowerOptions): PowerAnswer {
  const strategy = runStrategyOf(vm)
  const live = vmi && !hasEnded(vmi) ? vmi : undefined
  if (strategy === 'Always' || strategy === 'Once')
    return withGrace({ ok: true, runStrategy: 'Halted' }, live && gracePeriod)
  if (!live) return conflict('VM is not running')
  const before = live.spec.terminationGracePeriodSeconds
  const isShorter = gracePeriod !== undefined && (before === undefined || gracePeriod < before)
  if (strategy === 'Halted' && !isShorter)
    return conflict('Halted only supports manual stop requests with a shorter graceperiod')
  return withGrace(ask(vm, [stopping(live)]), gracePeriod)
}

function restartOf(vm: Vm, vmi: Vmi | undefined, options: PowerOptions): PowerAnswer {
  const { gracePeriodSeconds: seconds } = options
  if (seconds !== undefined && seconds > 0)
    return refused(400, 'For force restart, only gracePeriod=0 is supported for now')
  if (seconds !== undefined && seconds < 0)
    return refused(400, 'gracePeriod has to be greater or equal to 0')
  if (conditionOf(vm, 'VolumesChange')?.status === 'True') return conflict(RECOVERY)
  const strategy = runStrategyOf(vm)
  // The typing error is KubeVirt's.
  if (strategy === 'Halted' || strategy === 'Once')
    return conflict(`RunStategy ${strategy} does not support manual restart requests`)
  if (!vmi) return conflict('VM is not running: Halted')
  const asked = ask(vm, [stopping(vmi), { action: 'Start' }])
  return withGrace(asked, seconds === 0 ? 1 : undefined)
}

function withGrace(answer: PowerAnswer, grace: number | undefined): PowerAnswer {
  return answer.ok && grace !== undefined ? { ...answer, grace } : answer
}

function stopping({ metadata: { uid } }: Vmi): Request {
  return { action: 'Stop', ...(uid ? { uid } : {}) }
}

/** One thing at a time, but a stop goes before whatever is under way. */
function ask({ status }: Vm, requests: Request[]): PowerAnswer {
  const isBusy = (status?.stateChangeRequests ?? []).length > 0
  const isStop = requests.length === 1 && requests[0]?.action === 'Stop'
  if (isBusy && !isStop)
    return refused(500, 'unable to complete request: stop/start already underway')
  return { ok: true, requests }
}

function conflict(message: string): PowerAnswer {
  return refused(409, message)
}

function refused(code: 400 | 409 | 500, message: string): PowerAnswer {
  return { ok: false, code, message }
}

/** The VM as the answer has it; a start that had failed is forgotten with a new request. */
export function withPower(vm: Vm, answer: Extract<PowerAnswer, { ok: true }>): Vm {
  if ('runStrategy' in answer) {
    const { running, runStrategy: _, ...spec } = vm.spec
    const way =
      vm.spec.runStrategy === undefined && running !== undefined
        ? { running: answer.runStrategy === 'Always' }
        : { runStrategy: answer.runStrategy }
    return { ...vm, spec: { ...spec, ...way } }
  }
  const { startFailure: _, ...status } = vm.status ?? {}
  return { ...vm, status: { ...status, stateChangeRequests: answer.requests } }
}
