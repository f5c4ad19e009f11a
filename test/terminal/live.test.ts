import { expect, test } from 'vitest'
import { createLiveView } from '../../src/terminal/live.ts'
import { screen } from './screen.ts'

test('a view is drawn again in its place, below what stands there', () => {
  const shown = screen()
  shown.terminal.write('$ kubectl mig status -w\n')
  const view = createLiveView(shown.terminal)
  view.draw(['VM     PHASE', 'vm-1   Running', 'vm-2   Pending'])
  view.draw(['VM     PHASE', 'vm-1   Succeeded'])
  expect(shown.text()).toBe('$ kubectl mig status -w\nVM     PHASE\nvm-1   Succeeded')
  view.close()
})

test('each drawing is one synchronized write', () => {
  const shown = screen()
  const view = createLiveView(shown.terminal)
  view.draw(['one'])
  view.draw(['two'])
  view.close()
  expect(shown.raw()).toBe(
    [
      '\u001b[?25l',
      '\u001b[?2026h\rone\u001b[K\n\u001b[J\u001b[?2026l',
      '\u001b[?2026h\r\u001b[1Atwo\u001b[K\n\u001b[J\u001b[?2026l',
      '\r\u001b[J\u001b[?25h',
    ].join(''),
  )
})

test('lines are cut to the window, and the rest is counted', () => {
  const shown = screen(10, 4)
  const view = createLiveView(shown.terminal)
  view.draw(['a very long line', 'b', 'c', 'd', 'e'])
  expect(shown.text()).toBe('a very lo…\nb\n… 3 more')
  view.close()
})

test.each([40, 120])('a window that becomes %d wide is drawn anew', (columns) => {
  const shown = screen(80)
  shown.terminal.write('before\n')
  const view = createLiveView(shown.terminal)
  const line = '0123456789'.repeat(8)
  view.draw([line, 'second'])
  shown.resize(columns)
  const cut = columns < 80 ? `${line.slice(0, columns - 1)}…` : line
  expect(shown.text()).toBe(`before\n${cut}\nsecond`)
  view.close()
})

test('closing leaves the last view, clears what a Ctrl-C echoed, and shows the cursor', () => {
  const shown = screen()
  const view = createLiveView(shown.terminal)
  view.draw(['last'])
  expect(shown.cursorVisible()).toBe(false)
  shown.terminal.write('^C')
  view.close()
  view.close()
  view.draw(['after the end'])
  expect(shown.text()).toBe('last')
  expect(shown.cursorVisible()).toBe(true)
})

test('closing can erase it', () => {
  const shown = screen()
  shown.terminal.write('before\n')
  const view = createLiveView(shown.terminal)
  view.draw(['one', 'two'])
  view.close({ erase: true })
  expect(shown.text()).toBe('before')
})

test('a process that ends in any other way gives the cursor back', () => {
  const shown = screen()
  const before = process.listenerCount('exit')
  const view = createLiveView(shown.terminal)
  const [restore] = process.listeners('exit').slice(before)
  restore?.call(process, 1)
  expect(shown.cursorVisible()).toBe(true)
  view.close()
  expect(process.listenerCount('exit')).toBe(before)
})
