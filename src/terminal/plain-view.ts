import { phaseOf } from '../kubevirt/migration.ts'
import type { Observed } from '../migrate/observed.ts'
import { doneOf } from '../migrate/progress.ts'
import { outcomeOf } from '../migrate/timeline.ts'
import type { MoveView } from './move-view.ts'
import { neutral } from './neutral.ts'
import { createProgressLines, type ProgressLines } from './progress.ts'
import type { Terminal } from './terminal.ts'
import { activeDetail, askedText, copyLine, forecastText, phaseName, warningText } from './words.ts'

/** One line for each thing that happens, each with the VM's name: for logs and pipes. */
export function createPlainView(terminal: Terminal, now: () => number): MoveView {
  const progress = new Map<string, ProgressLines>()
  const asked = new Set<string>()
  let last = ''

  const say = (vm: string, text: string) => {
    const line = neutral(`${vm}: ${text}`)
    if (line !== last) terminal.write(`${line}\n`)
    last = line
  }
  const sayPhase = (vm: string, observed: Observed) => {
    const phase = phaseOf(observed.migration)
    const outcome = outcomeOf(observed)
    const name = outcome === 'cancelled' ? 'Cancelled' : phaseName(phase)
    const detail = outcome === 'running' ? activeDetail(phase, observed) : ''
    say(vm, detail ? `${name}: ${detail}` : name)
  }
  const isDue = (vm: string, part: number | undefined) => {
    if (!progress.has(vm)) progress.set(vm, createProgressLines())
    return progress.get(vm)!.due(part, now())
  }
  return {
    show({ vm, step, observed }) {
      switch (step.type) {
        case 'forecast':
          if (step.forecast.blockers.length > 0) return
          say(vm, `Admitted: ${forecastText(step.forecast)}`)
          for (const { what, why } of step.forecast.gaps) say(vm, `Not visible: ${what}: ${why}`)
          return
        case 'created':
          say(vm, `Created: ${step.migration.metadata.name}`)
          return
        case 'refused':
        case 'end':
          return
        case 'phase':
          if (observed) sayPhase(vm, observed)
          return
        case 'pod':
          if (observed && step.pod.status?.phase !== 'Running') sayPhase(vm, observed)
          return
        case 'waiting':
          if (observed && !step.waiting.admit) sayPhase(vm, observed)
          return
        case 'warning':
          say(vm, `Warning: ${warningText(step.event)}`)
          return
        case 'asked':
          asked.add(vm)
          say(vm, `Cancelling: ${askedText(step)}`)
          return
        case 'cancelling':
          if (!asked.has(vm)) say(vm, 'Cancelling: somebody has deleted the migration')
          return
        case 'progress':
          if (isDue(vm, doneOf(step.progress))) say(vm, `Running: ${copyLine(step.progress)}`)
          return
        case 'gap':
          say(vm, `Not visible: ${step.gap.what}: ${step.gap.why}`)
          return
        case 'lost':
          say(vm, `Connection lost: ${step.message}; trying again`)
          return
        case 'regained':
          say(vm, 'Connection is back')
      }
    },
    close() {},
  }
}
