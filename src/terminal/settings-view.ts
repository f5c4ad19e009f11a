import type { SettingReport } from '../migrate/settings.ts'
import { type Cell, table } from './table.ts'
import type { Terminal } from './terminal.ts'

/** As a table of their own; who says so is never cut. */
export function settingLines(settings: SettingReport[], terminal: Terminal): string[] {
  return table(SETTING_TITLES, settings.map(settingCells), terminal, { whole: true })
}

/** Settings as rows: name, value, who says so. */
export function settingCells({ name, value, from, source, labels }: SettingReport): Cell[] {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return [name, text, sourceText({ from, source, labels })]
}

export const SETTING_TITLES = ['SETTING', 'VALUE', 'FROM']

function sourceText({ from, source, labels }: Pick<SettingReport, 'from' | 'source' | 'labels'>) {
  switch (from) {
    case 'policy':
      return `policy ${source}${labels.length > 0 ? ` (${labels.join(', ')})` : ''}`
    case 'kubevirt':
      return `KubeVirt CR ${source}`
    case 'default':
      return `default of ${source}`
    case 'hand-off':
      return `as resolved at hand-off${source === null ? '' : ` (policy ${source})`}`
  }
}
