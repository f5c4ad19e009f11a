import { phaseOf } from '../kubevirt/migration.ts'
import type { Observed } from '../migrate/observed.ts'
import { doneOf } from '../migrate/progress.ts'
import { outcomeOf, timelineOf } from '../migrate/timeline.ts'
import type { MoveView } from './move-view.ts'
import { neutral } from './neutral.ts'
import { createProgressLines, type ProgressLines } from './progress.ts'
import type { Terminal } from './terminal.ts'
import { formatAge } from './units.ts'
import {
  activeDetail,
  askedText,
  copyLine,
  forecastText,
  joinedText,
  phaseName,
  spanText,
  undoneText,
  unseenText,
  verdictText,
  warningText,
} from './words.ts'

/** After so much silence it is said that a migration still is where it was. ms. */
const SILENCE = 30_000

/** What is remembered of one VM. */
interface Told {
  observed: Observed | undefined
  progress: ProgressLines
  asked: boolean
  line: string
  at: number
}

function whyText(stillFor: number | undefined): string {
  return stillFor === undefined ? 'Why' : `Stands still for ${formatAge(stillFor)}`
}

/** One line for each thing that happens, each with the VM's name: for logs and pipes. */
export function createPlainView(terminal: Terminal, now: () => number): MoveView {
  const vms = new Map<string, Told>()
  const said = new Set<string>()
  const toldOf = (vm: string): Told => {
    const known = vms.get(vm)
    if (known) return known
    const fresh = {
      observed: undefined,
      progress: createProgressLines(),
      asked: false,
      line: '',
      at: now(),
    }
    vms.set(vm, fresh)
    return fresh
  }
  const say = (vm: string, text: string) => {
    const told = toldOf(vm)
    const line = neutral(`${vm}: ${text}`)
    if (line !== told.line) terminal.write(`${line}\n`)
    told.line = line
    told.at = now()
  }
  /** What is so for all VMs is said of the first. */
  const sayOnce = (vm: string, text: string) => {
    if (!said.has(text)) say(vm, text)
    said.add(text)
  }
  const sayPhase = (vm: string, observed: Observed) => {
    const phase = phaseOf(observed.migration)
    const outcome = outcomeOf(observed)
    const name = outcome === 'cancelled' ? 'Cancelled' : phaseName(phase)
    const detail = outcome === 'running' ? activeDetail(phase, observed, now()) : ''
    say(vm, detail ? `${name}: ${detail}` : name)
  }
  /** Silence while waiting looks like a hang. */
  const breakSilence = () => {
    for (const [vm, { observed, at }] of vms) {
      if (!observed || outcomeOf(observed) !== 'running' || now() - at < SILENCE) continue
      const { phase, entries } = timelineOf(observed, now())
      const time = spanText(entries.find(({ state }) => state === 'current')?.took)
      say(vm, `${phaseName(phase)} for ${time}: ${activeDetail(phase, observed, now())}`)
    }
  }
  const timer = setInterval(breakSilence, SILENCE / 6)
  timer.unref()

  return {
    show({ vm, step, observed }) {
      const told = toldOf(vm)
      told.observed = observed ?? told.observed
      switch (step.type) {
        case 'forecast':
          if (step.forecast.blockers.length > 0) return
          say(vm, `Admitted: ${forecastText(step.forecast)}`)
          if (step.forecast.gaps.length > 0)
            sayOnce(vm, `Not visible: ${unseenText(step.forecast)}`)
          return
        case 'created':
          say(vm, `Created: ${step.migration.metadata.name}`)
          return
        case 'joined':
          say(vm, `Joined: ${joinedText(step.migration)}`)
          return
        case 'moved-before':
          say(vm, `Moved before: by ${step.migration.metadata.name}`)
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
        case 'eviction-undone':
          say(vm, `Eviction: ${undoneText(step.node)}`)
          return
        case 'asked':
          told.asked = true
          say(vm, `Cancelling: ${askedText(step)}`)
          return
        case 'cancelling':
          if (!told.asked) say(vm, 'Cancelling: somebody has deleted the migration')
          return
        case 'progress':
          if (told.progress.due(doneOf(step.progress)))
            say(vm, `Running: ${copyLine(step.progress)}`)
          return
        case 'verdict':
          say(vm, `${whyText(step.stillFor)}: ${verdictText(step.verdict)}`)
          return
        case 'gap':
          sayOnce(vm, `Not visible: ${step.gap.what}: ${step.gap.why}`)
          return
        case 'lost':
          say(vm, `Connection lost, trying again: ${step.message}`)
          return
        case 'regained':
          say(vm, 'Connection is back')
      }
    },
    close() {
      clearInterval(timer)
    },
  }
}
