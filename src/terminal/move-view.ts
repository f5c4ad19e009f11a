import type { Cancelling } from '../migrate/cancel.ts'
import type { Moving } from '../migrate/move.ts'
import type { Observed } from '../migrate/observed.ts'
import { doneOf } from '../migrate/progress.ts'
import { failureOf, outcomeOf, timelineOf } from '../migrate/timeline.ts'
import { type CheckItem, type Checklist, createChecklist } from './checklist.ts'
import { createLiveView } from './live.ts'
import { createPlainView } from './plain-view.ts'
import { MIGRATION_TITLES, migrationRow } from './status-table.ts'
import { type Cell, table } from './table.ts'
import type { Terminal } from './terminal.ts'
import {
  activeDetail,
  askedText,
  doneDetail,
  forecastText,
  phaseName,
  spanText,
  unseenText,
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
  const unseen = (detail: string) => list.add('waiting', { label: 'Not visible', detail })

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
  return {
    show({ step, observed }) {
      switch (step.type) {
        case 'forecast':
          if (step.forecast.blockers.length > 0) return
          list.add(willWait(step.forecast) ? 'warning' : 'done', {
            label: 'Admitted',
            detail: forecastText(step.forecast),
          })
          if (step.forecast.gaps.length > 0) unseen(unseenText(step.forecast))
          break
        case 'asked':
          asked = true
          list.add('done', { label: 'Cancelling', detail: askedText(step) })
          break
        case 'warning':
          list.add('warning', { label: 'Warning', detail: warningText(step.event) })
          break
        case 'gap':
          unseen(`${step.gap.what}: ${step.gap.why}`)
          break
        case 'lost':
          list.add('warning', {
            label: 'Connection',
            detail: `lost, trying again: ${step.message}`,
          })
          break
        case 'regained':
          list.add('done', { label: 'Connection', detail: 'back again' })
          break
        default:
      }
      if (!observed) return
      const outcome = outcomeOf(observed)
      if (outcome === 'running') {
        list.follow(() => activeItem(observed, now()))
        tellPhases(observed)
      } else if (step.type === 'end') {
        list.follow(undefined)
        tellPhases(observed)
        if (outcome === 'cancelled') list.add(asked ? 'done' : 'warning', endItem(observed, now()))
        else if (outcome !== 'succeeded') list.add('failed', endItem(observed, now()))
      }
    },
    close: () => list.close(),
  }
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
  const rows = new Map<string, () => Cell[]>(names.map((name) => [name, () => [name, 'starting']]))
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
      else if (observed) rows.set(vm, () => migrationRow(observed, terminal.theme, now()))
      draw()
    },
    close() {
      clearInterval(timer)
      view.close({ erase: true })
    },
  }
}
