import { timeOf } from '../kubevirt/migration.ts'
import type { Event } from '../kubevirt/types.ts'
import type { LabStatus } from '../lab/inspect.ts'
import type { RunningLab } from '../lab/run.ts'
import type { Scenario } from '../lab/scenario/scenario.ts'
import { neutral } from './neutral.ts'
import { table } from './table.ts'
import type { Terminal } from './terminal.ts'
import { formatAge } from './units.ts'

/** How to use a lab that has just come up. @param scenario what it plays, which may bring VMs of its own and tells itself what to try */
export function labUpLines(
  { record, kubeconfig }: Pick<RunningLab, 'record' | 'kubeconfig'>,
  scenario: Scenario | undefined,
): string[] {
  const { name, nodes, vms } = record
  const none = scenario ? 'the VM of its scenario' : 'no VM'
  const guests = vms === 0 ? none : vms === 1 ? 'vm-1' : `vm-1 to vm-${vms}`
  return [
    `Lab "${name}" is up: ${nodes} nodes, ${guests}. To use it:`,
    '',
    `  export KUBECONFIG=${quoted(kubeconfig)}`,
    ...(vms > 0 && !scenario ? ['  kubectl mig migrate vm-1'] : []),
    `  ${downCommand(name)}`,
    '',
  ]
}

/** What to look at in a lab's scenario. */
export function scenarioLines({ title, diagnose, mend, proof }: Scenario): string[] {
  const steps = (word: string, lines: string[]) =>
    lines.map((line, i) => `  ${(i ? '' : word).padEnd(6)}  ${line}`)
  return [
    `${title}.`,
    ...steps('why', diagnose),
    ...steps('mend', mend),
    ...steps('then', mend.length > 0 ? [proof] : []),
    '',
  ]
}

export function scenarioListLines(scenarios: Scenario[], terminal: Terminal): string[] {
  const rows = scenarios.map(({ name, code, title }) => [name, code ?? '', title])
  return table(['NAME', 'CODE', 'WHAT IS WRONG'], rows, terminal)
}

/** An event as a line of the short log. */
export function labEventLine(event: Event): string {
  const { involvedObject, reason = '', message = '' } = event
  const at = timeOf(event.lastTimestamp) ?? timeOf(event.eventTime) ?? 0
  const time = new Date(at).toTimeString().slice(0, 8)
  const object = `${SHORT[involvedObject.kind ?? ''] ?? involvedObject.kind?.toLowerCase()}/${involvedObject.name}`
  return neutral(`${time}  ${object}  ${reason}: ${message}`)
}

export function labListLines(labs: LabStatus[], terminal: Terminal, now: number): string[] {
  if (labs.length === 0) return ['No lab is up.']
  const rows = labs.map(({ name, state, record }) => [
    name,
    { text: state, style: state === 'up' ? ('good' as const) : ('warn' as const) },
    record ? String(record.nodes) : '',
    record ? String(record.vms) : '',
    record ? formatAge(now - (timeOf(record.createdAt) ?? now)) : '',
    record?.url ?? '',
  ])
  const dead = labs.filter(({ state }) => state === 'dead')
  return [
    ...table(['NAME', 'STATE', 'NODES', 'VMS', 'AGE', 'SERVER'], rows, terminal),
    ...(dead.length > 0 ? ['', ...dead.map(({ name }) => cleanUp(name))] : []),
  ]
}

/** What is to be done with what a lab left that did not end in order. */
function cleanUp(name: string): string {
  return `Lab "${name}" is dead: its process has ended without cleaning up. To remove what it left: ${downCommand(name)}`
}

function downCommand(name: string): string {
  return `kubectl mig lab down${name === 'lab' ? '' : ` --name ${name}`}`
}

export function labStatusLines({
  name,
  state,
  record,
  kubeconfig,
  log,
  cluster,
}: LabStatus): string[] {
  const counts = cluster && [
    `  nodes       ${cluster.nodes.ready} of ${cluster.nodes.total} ready`,
    `  VMs         ${cluster.vms.running} of ${cluster.vms.total} running`,
    `  migrations  ${cluster.migrations.active} active, ${cluster.migrations.total} in all`,
  ]
  if (state === 'dead') return [cleanUp(name), ...(record ? [`  log         ${log}`] : [])]
  return [
    `Lab "${name}" is ${state}${record ? ` (process ${record.pid})` : ''}.`,
    ...(counts ?? []),
    `  kubeconfig  ${kubeconfig}`,
    `  log         ${log}`,
  ]
}

const SHORT: Record<string, string> = {
  VirtualMachine: 'vm',
  VirtualMachineInstance: 'vmi',
  VirtualMachineInstanceMigration: 'vmim',
}

function quoted(path: string): string {
  return /^[\w./+@:-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
