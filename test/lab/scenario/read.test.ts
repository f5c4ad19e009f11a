import { expect, test } from 'vitest'
import { parseScenario } from '../../../src/lab/scenario/read.ts'

const HEAD = `# What an operator sees:
# nothing.
apiVersion: lab.kubectl-mig.io/v1alpha1
kind: Scenario
metadata:
  name: mine
spec:
  title: Nothing is wrong
  diagnose: kubectl mig diagnose
  proof: kubectl mig diagnose -A
  lab: { nodes: 2, guest: none, dirty-rate: 0 }
  until:
    - vmim/move Running
`

const MOVE = `---
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstanceMigration
metadata:
  name: move
  annotations:
    lab.kubectl-mig.io/when: event FailedCreate
    keep: me
spec:
  vmiName: vm-1
`

const read = (text: string) => parseScenario(text, '/scenarios/mine.yaml')

test('its head says what it starts with, its documents what is applied, each with its moment', () => {
  expect(read(`${HEAD}${MOVE}`)).toEqual({
    name: 'mine',
    title: 'Nothing is wrong',
    story: 'What an operator sees:\nnothing.',
    code: undefined,
    diagnose: ['kubectl mig diagnose'],
    mend: [],
    proof: 'kubectl mig diagnose -A',
    lab: { nodes: 2, guest: 'none', 'dirty-rate': 0 },
    until: [{ kind: 'vmim', name: 'move', is: 'Running' }],
    objects: [
      {
        object: {
          apiVersion: 'kubevirt.io/v1',
          kind: 'VirtualMachineInstanceMigration',
          metadata: { name: 'move', annotations: { keep: 'me' } },
          spec: { vmiName: 'vm-1' },
        },
        when: { kind: 'event', name: undefined, is: 'FailedCreate' },
      },
    ],
  })
})

test.each([
  ['', /:1: its first document is no Scenario of lab\.kubectl-mig\.io\/v1alpha1$/],
  ['kind: Pod', /:1: its first document is no Scenario/],
  ['a: [', /:1: it is no YAML: /],
  [HEAD.replace('name: mine', 'name: yours'), /:6: metadata\.name is to be "mine", as its file$/],
  [HEAD.replace('spec:', 'more: 1\nspec:'), /:7: there is no field more$/],
  [
    HEAD.replace('title: Nothing is wrong', 'tilte: x'),
    /:8: spec\.tilte is not known; title, code, /,
  ],
  [HEAD.replace('  title: Nothing is wrong\n', ''), /:8: spec\.title is missing$/],
  [HEAD.replace('nodes: 2', 'nodes: 0'), /:11: spec\.lab\.nodes can't be 0$/],
  [HEAD.replace('nodes: 2', 'hosts: 2'), /:11: spec\.lab\.hosts is not known; nodes, vms, /],
  [HEAD.replace('vmim/move Running', 'some time'), /:13: "some time" is no moment such as /],
  [`${HEAD}${MOVE.replace('event FailedCreate', 'later')}`, /:20: "later" is no moment such as /],
  [`${HEAD}---\nkind: Pod\n`, /:15: an object without metadata\.name$/],
  [`${HEAD}${MOVE.replace('kubevirt.io/v1', 'v2')}`, /:1\d: a lab has no kind Virtual\S+ of v2$/],
])('bad input %#: one line with file and line', (text, message) => {
  expect(() => read(text)).toThrow(message)
  expect(() => read(text)).toThrow(/^\/scenarios\/mine\.yaml:\d+: [^\n]+$/)
})
