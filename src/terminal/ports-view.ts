import type { PortMap } from '../migrate/ports.ts'
import { neutral } from './neutral.ts'
import { table } from './table.ts'
import type { Terminal } from './terminal.ts'
import { phaseName } from './words.ts'

/** The channels of one migration; the first line says whose, and what the numbers are worth now. */
export function portLines(map: PortMap, terminal: Terminal): string[] {
  const { vm, migration, phase, sourceNode, targetNode } = map
  if (!migration) return [neutral(`${vm} has no migration, so it has no ports`)]
  const route = [sourceNode, targetNode].filter(Boolean).join(` ${terminal.theme.symbols.arrow} `)
  const head = `${vm}: ${phaseName(phase)}${route ? `, ${route}` : ''} (${migration.name}); ${MEANING[map.state]}`
  if (map.ports.length === 0) return [neutral(head)]
  const rows = map.ports.map(({ label, purpose, port, sourceSocket }) => [
    String(label),
    purpose,
    port === null ? '' : (map.targetAddress ?? ''),
    port === null ? '' : String(port),
    sourceSocket ?? '',
  ])
  return [neutral(head), '', ...table(TITLES, rows, terminal, { whole: true })]
}

const TITLES = ['LABEL', 'PURPOSE', 'TARGET ADDRESS', 'PORT', 'SOURCE SOCKET']

const MEANING: Record<PortMap['state'], string> = {
  none: '',
  unpublished: 'the target has not published its ports yet',
  open: 'ports are open',
  closed: 'it has ended, the ports are closed',
}
