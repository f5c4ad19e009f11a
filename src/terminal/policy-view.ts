import type { PolicyExplanation, PolicyReport } from '../migrate/explain-policy.ts'
import { neutral } from './neutral.ts'
import { SETTING_TITLES, settingCells } from './settings-view.ts'
import { type Cell, table } from './table.ts'
import type { Terminal } from './terminal.ts'
import type { Style } from './theme.ts'

/** Which policy holds, the settings with their sources, then all policies with their scores and reasons. */
export function policyLines(explanation: PolicyExplanation, terminal: Terminal): string[] {
  const { namespace, vm, policy, whatIf, settings, policies } = explanation
  const changed = settings.some(({ instead }) => instead !== null)
  const titles = changed ? ['SETTING', 'VALUE', 'NOW', 'FROM'] : SETTING_TITLES
  const settingRows = settings.map((setting): Cell[] => {
    const [name, value, from] = settingCells(setting) as [Cell, string, Cell]
    if (!changed) return [name, value, from]
    const { instead } = setting
    if (!instead) return [name, value, value, from]
    const now = instead.value === null ? 'unset' : plain(instead.value)
    return [name, { text: value, style: 'strong' }, now, from]
  })
  const holds = policy === null ? 'no policy holds' : `policy "${policy}" holds`
  const would = whatIf === null ? holds : holds.replace('holds', 'would hold')
  const lines = [
    terminal.theme.strong(neutral(`${vm} in ${namespace}: ${would}`)),
    '',
    ...table(titles, settingRows, terminal, { whole: true }),
  ]
  if (policies.length === 0) return lines
  return [...lines, '', ...table(POLICY_TITLES, policies.map(policyRow), terminal, { whole: true })]
}

const POLICY_TITLES = ['POLICY', 'RESULT', 'SCORE', 'WHY']

function policyRow({ name, result, score, why, whatIf }: PolicyReport): Cell[] {
  const [text, style] = RESULTS[result]
  return [
    whatIf ? `${name} (file)` : name,
    { text, ...(style && { style }) },
    score === null ? '-' : String(score.total),
    why,
  ]
}

const RESULTS: Record<PolicyReport['result'], [string, Style | undefined]> = {
  holds: ['holds', 'good'],
  matches: ['matches', undefined],
  'no-match': ['no match', 'quiet'],
}

function plain(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
