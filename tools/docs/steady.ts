import { hash } from 'node:crypto'
import type { Cell } from './screen.ts'

/** The moment at which every run of the documentation begins. */
const BEGINNING = Date.parse('2026-03-02T09:30:00Z')

/**
 * What differs from run to run and says nothing (generated names, UIDs, the date) becomes the same each time, so that a
 * new picture differs from the old one only where the program does. Widths stay.
 */
export function createSteady(startedAt: number): (text: string) => string {
  const uid = stable((index) => {
    const hex = hash('sha1', `uid ${index}`)
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `8${hex.slice(17, 20)}`,
      hex.slice(20, 32),
    ].join('-')
  })
  const suffix = stable((index) =>
    [...hash('sha1', `suffix ${index}`, 'buffer').subarray(0, 5)]
      .map((byte) => SUFFIX_LETTERS[byte % SUFFIX_LETTERS.length])
      .join(''),
  )
  const shift = BEGINNING - Math.floor(startedAt / 1000) * 1000
  const moment = (text: string) => new Date(Date.parse(text) + shift).toISOString()
  return (text) =>
    text
      .replace(/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, uid)
      .replace(/(?<=\b(?:kubectl-mig|virt-launcher-vm-\d+)-)[a-z\d]{5}\b/g, suffix)
      .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g, (text) =>
        text.length === 20 ? `${moment(text).slice(0, 19)}Z` : moment(text),
      )
      .replace(/(?<![\dT:])\d\d:\d\d:\d\dZ/g, (text) => {
        const today = new Date(startedAt).toISOString().slice(0, 11)
        return `${moment(today + text).slice(11, 19)}Z`
      })
}

/** A row with each character replaced; its looks stay. */
export function steadyRow(row: Cell[], steady: (text: string) => string): Cell[] {
  const text = [...steady(row.map((cell) => cell.text).join(''))]
  if (text.length !== row.length) throw new Error(`no longer as wide: ${text.join('')}`)
  return row.map(({ look }, i) => ({ text: text[i]!, look }))
}

/** As Kubernetes generates names: no vowels, nothing that looks like another. */
const SUFFIX_LETTERS = 'bcdfghjklmnpqrstvwxz2456789'

/** The same for the same, the next for a new one. */
function stable(make: (index: number) => string): (text: string) => string {
  const seen = new Map<string, string>()
  return (text) => {
    const known = seen.get(text) ?? make(seen.size)
    seen.set(text, known)
    return known
  }
}
