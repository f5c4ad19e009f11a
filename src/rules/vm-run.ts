import type { Vm, Vmi } from '../kubevirt/types.ts'

/** `running` is the old way to say it. */
export function runStrategyOf({ spec }: Vm): string {
  return spec.runStrategy ?? (spec.running ? 'Always' : 'Halted')
}

/**
 * What a VM's strategy asks for, given that it has no VMI, one that runs, or one that ended, and given what virt-api was
 * asked for. `rerun` stops, and starts again once that is done; `switch` is of a halted VM that is to be started.
 */
export type RunStep = 'nothing' | 'start' | 'stop' | 'rerun' | 'switch'

export function runStep(vm: Vm, vmi: Vmi | undefined): RunStep {
  const strategy = runStrategyOf(vm)
  const [request] = vm.status?.stateChangeRequests ?? []
  const toStart = request?.action === 'Start'
  const toStop = request?.action === 'Stop' && request.uid === vmi?.metadata.uid
  switch (strategy) {
    case 'Always':
    // Its VMI waits for a guest of another cluster.
    case 'WaitAsReceiver':
      if (!vmi) return 'start'
      return toStop || hasEnded(vmi) ? 'stop' : 'nothing'
    case 'RerunOnFailure':
      // One that was shut down from within stays down, until somebody asks.
      if (!vmi) return toStart || vm.status?.runStrategy !== strategy ? 'start' : 'nothing'
      if (vmi.status?.phase === 'Failed') return 'rerun'
      return toStop || hasEnded(vmi) ? 'stop' : 'nothing'
    case 'Once':
      return vmi ? 'nothing' : 'start'
    case 'Manual':
      if (!vmi) return toStart ? 'start' : 'nothing'
      return toStop ? 'stop' : 'nothing'
    default:
      if (!vmi) return toStart ? 'switch' : 'nothing'
      return 'stop'
  }
}

/** The requests that are left, given what has come of the first. */
export function openRequests(vm: Vm, vmi: Vmi | undefined) {
  const requests = vm.status?.stateChangeRequests ?? []
  const [first] = requests
  const stopped = first?.action === 'Stop' && (!first.uid || first.uid !== vmi?.metadata.uid)
  const started =
    first?.action === 'Start' && vmi && !vmi.metadata.deletionTimestamp && !hasEnded(vmi)
  return stopped || started ? requests.slice(1) : requests
}

export function hasEnded({ status }: Vmi): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}
