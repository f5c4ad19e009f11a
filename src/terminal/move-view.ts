import type { Cancelling } from '../migrate/cancel.ts'
import type { Forecast } from '../migrate/forecast.ts'
import type { Moving } from '../migrate/move.ts'
import { firstSight, type Observed } from '../migrate/observed.ts'
import { doneOf } from '../migrate/progress.ts'
import { failureOf, outcomeOf, timelineOf } from '../migrate/timeline.ts'
import { type CheckItem, type Checklist, createChecklist } from './checklist.ts'
import { createLiveView } from './live.ts'
import { createPlainView } from './plain-view.ts'
import { MIGRATION_TITLES, migrationRow } from './status-table.ts'
import { type Cell, table } from './table.ts'
import type { Terminal } from './terminal.ts'
import { formatAge } from './units.ts'
import {
  activeDetail,
  askedText,
  doneDetail,
  forecastText,
  joinedText,
  phaseName,
  spanText,
  undoneText,
  unseenText,
  verdictText,
  warningText,
  willWait,
} from './words.ts'

/** What a person sees while VMs move, or while moves are cancelled. */
export interface MoveView {
  show(telling: Moving | Cancelling): void
  /** Gives the terminal back. Idempotent. */
  close(): void
}

/** A check list for one VM, a table that changes in its place for several; plain lines where nothing can be redrawn. */
export async function createMoveView(
  terminal: Terminal,
  names: string[],
  now: () => number,
): Promise<MoveView> {
  if (!terminal.interactive) return createPlainView(terminal, now)
  if (names.length > 1) return createTableView(terminal, names, now)
  return createCheckView(await createChecklist(terminal), now)
}

function createCheckView(list: Checklist, now: () => number): MoveView {
  const told = new Set<string>()
  let asked = false

  /** What is told once, in a line of its own. */
  const tellStep = ({ step, observed }: Moving | Cancelling) => {
    switch (step.type) {
      case 'forecast':
        return tellForecast(list, step.forecast)
      case 'eviction-undone':
        return list.add('done', { label: 'Eviction', detail: undoneText(step.node) })
      case 'asked':
        asked = true
        // Which phases were before the asking is of no matter now.
        for (const { phase, state } of observed ? timelineOf(observed, now()).entries : [])
          if (state === 'done') told.add(phase)
        return list.add('done', { label: 'Cancelling', detail: askedText(step) })
      case 'joined':
        return list.add('done', { label: 'Joined', detail: joinedText(step.migration) })
      case 'moved-before':
        return list.add('done', {
          label: 'Moved before',
          detail: `by ${step.migration.metadata.name}`,
        })
      case 'warning':
        return list.add('warning', { label: 'Warning', detail: warningText(step.event) })
      case 'verdict':
        return step.stillFor === undefined
          ? list.add('failed', { label: 'Why', detail: verdictText(step.verdict) })
          : list.add('warning', {
              label: 'Stands still',
              took: formatAge(step.stillFor),
              detail: verdictText(step.verdict),
            })
      case 'gap':
        return tellUnseen(list, `${step.gap.what}: ${step.gap.why}`)
      case 'lost':
        return list.add('warning', {
          label: 'Connection',
          detail: `lost, trying again: ${step.message}`,
        })
      case 'regained':
        return list.add('done', { label: 'Connection', detail: 'back again' })
    }
  }
  /** The phases that are over and not told yet; one whose result is still on its way by another watch waits for that. */
  const tellPhases = (observed: Observed) => {
    const { entries, total, outcome } = timelineOf(observed, now())
    for (const { phase, state, took } of entries) {
      if (state !== 'done' || told.has(phase) || phase === 'Failed') continue
      const detail = doneDetail(phase, observed)
      if (detail === '' && outcome === 'running') return
      told.add(phase)
      list.add('done', {
        label: phaseName(phase),
        took: spanText(phase === 'Succeeded' ? total : took),
        detail,
      })
    }
  }
  const tellEnd = (observed: Observed) => {
    list.follow(undefined)
    tellPhases(observed)
    const outcome = outcomeOf(observed)
    if (outcome === 'succeeded') return
    const wanted = outcome === 'cancelled' && asked
    const mark = wanted ? 'done' : outcome === 'cancelled' ? 'warning' : 'failed'
    list.add(mark, endItem(observed, now()))
  }
  return {
    show(telling) {
      tellStep(telling)
      const { step, observed } = telling
      if (step.type === 'end' && observed) tellEnd(observed)
      else if (observed && outcomeOf(observed) === 'running') {
        list.follow(() => activeItem(observed, now()))
        tellPhases(observed)
      }
    },
    close: () => list.close(),
  }
}

function tellForecast(list: Checklist, forecast: Forecast): void {
  // The error says it all.
  if (forecast.blockers.length > 0) return
  const mark = willWait(forecast) ? 'warning' : 'done'
  list.add(mark, { label: 'Admitted', detail: forecastText(forecast) })
  if (forecast.gaps.length > 0) tellUnseen(list, unseenText(forecast))
}

function tellUnseen(list: Checklist, detail: string): void {
  list.add('waiting', { label: 'Not visible', detail })
}

function activeItem(observed: Observed, now: number): CheckItem {
  const { entries, phase } = timelineOf(observed, now)
  const took = entries.find(({ state }) => state === 'current')?.took
  const part = observed.progress && phase === 'Running' ? doneOf(observed.progress) : undefined
  return {
    label: phaseName(phase),
    took: spanText(took),
    detail: activeDetail(phase, observed, now),
    part,
  }
}

function endItem(observed: Observed, now: number): CheckItem {
  const { outcome, total } = timelineOf(observed, now)
  const label = { failed: 'Failed', cancelled: 'Cancelled' }[outcome as string] ?? 'Gone'
  return { label, took: spanText(total), detail: failureOf(observed)?.reason }
}

/** How often running times are drawn anew. ms. */
const TICK = 1000

/** It gives way to the table of results. */
function createTableView(terminal: Terminal, names: string[], now: () => number): MoveView {
  const view = createLiveView(terminal)
  const rows = new Map<string, () => Cell[]>(names.map((name) => [name, () => [name, 'to come']]))
  const draw = () =>
    view.draw(
      table(
        MIGRATION_TITLES,
        [...rows.values()].map((row) => row()),
        terminal,
      ),
    )
  const timer = setInterval(draw, TICK)
  return {
    show({ vm, step, observed }) {
      if (step.type === 'refused')
        rows.set(vm, () => [
          vm,
          { text: 'not moved', style: 'bad' },
          '',
          '',
          '',
          step.error.message,
        ])
      else if (step.type === 'moved-before')
        rows.set(vm, () => migrationRow(firstSight(step.migration), terminal.theme, now()))
      else if (observed) rows.set(vm, () => migrationRow(observed, terminal.theme, now()))
      draw()
    },
    close() {
      clearInterval(timer)
      view.close({ erase: true })
    },
  }
}
