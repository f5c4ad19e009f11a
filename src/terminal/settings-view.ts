import type { SettingReport } from '../migrate/settings.ts'
import type { Cell } from './table.ts'

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
      return 'fixed at hand-off; configured otherwise since'
  }
}
