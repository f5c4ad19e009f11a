import { describe, expect, test } from 'vitest'
import {
  admitVmiUpdate,
  withoutForeignStatus,
  withVmiDefaults,
} from '../../src/rules/admission-vmi.ts'
import { vmi } from './objects.ts'

const HANDLER = 'system:serviceaccount:kubevirt:kubevirt-handler'
const node = (name: string) => ({
  userName: HANDLER,
  extra: { 'authentication.kubernetes.io/node-name': [name] },
})
const moving = vmi({ status: { migrationState: { sourceNode: 'node-1', targetNode: 'node-2' } } })

describe('a VMI may be changed', () => {
  test.each([
    ['by its own handler', node('node-1'), undefined],
    ['by the target’s handler', node('node-2'), undefined],
    [
      'not by another node’s',
      node('node-3'),
      'Node restriction, virt-handler is only allowed to modify VMIs it owns',
    ],
    [
      'not by a handler whose token has no node',
      { userName: HANDLER },
      'Node restriction failed, virt-handler service account is missing node name',
    ],
  ])('%s', (_, requester, message) => {
    const admission = admitVmiUpdate(moving, moving, requester)
    expect(admission.admit ? undefined : admission.blockers[0].message).toBe(message)
  })

  test('by any handler where the gate is off', () => {
    const requester = { ...node('node-3'), restrictsNodes: false }
    expect(admitVmiUpdate(moving, moving, requester).admit).toBe(true)
  })

  test('but the target node is not the handler’s to set', () => {
    const changed = vmi({ status: { migrationState: { sourceNode: 'node-1', targetNode: 'x' } } })
    const admission = admitVmiUpdate(vmi(), changed, node('node-1'))
    expect(!admission.admit && admission.blockers[0].message).toBe(
      'Node restriction, virt-handler is not allowed to set target node',
    )
  })

  test('by the former node no more, once the VM has moved', () => {
    const state = { sourceNode: 'node-1', targetNode: 'node-2' }
    const moved = vmi({ status: { nodeName: 'node-2', migrationState: state } })
    expect(admitVmiUpdate(moved, moved, node('node-2')).admit).toBe(true)
    expect(admitVmiUpdate(moved, moved, node('node-1')).admit).toBe(false)
  })

  test('its spec and KubeVirt’s labels by no user', () => {
    const changed = vmi({ spec: { evictionStrategy: 'None' } })
    changed.metadata.labels = { 'kubevirt.io/nodeName': 'node-9' }
    const admission = admitVmiUpdate(vmi(), changed, { userName: 'user' })
    expect(!admission.admit && admission.blockers.map(({ message }) => message)).toEqual([
      'update of VMI object is restricted',
      'modification of the following reserved kubevirt.io/ labels on a VMI object is prohibited',
    ])
    const controller = 'system:serviceaccount:kubevirt:kubevirt-controller'
    expect(admitVmiUpdate(vmi(), changed, { userName: controller })).toEqual({ admit: true })
  })
})

test('what a user writes into the status is dropped', () => {
  const changed = vmi({ status: { phase: 'Failed' } })
  expect(withoutForeignStatus(vmi(), changed, 'user').status?.phase).toBe('Running')
  expect(withoutForeignStatus(vmi(), changed, HANDLER).status?.phase).toBe('Failed')
})

test('a new VMI gets a phase, a finalizer, a CPU and its memory', () => {
  const made = withVmiDefaults({
    metadata: { name: 'vm-1' },
    spec: { domain: { resources: { requests: { memory: '1Gi' } } } },
  })
  expect(made.status).toEqual({
    phase: 'Pending',
    runtimeUser: 107,
    currentCPUTopology: { cores: 1, sockets: 1, threads: 1 },
    memory: { guestAtBoot: '1Gi', guestCurrent: '1Gi', guestRequested: '1Gi' },
  })
  expect(made.metadata.finalizers).toEqual(['kubevirt.io/foregroundDeleteVirtualMachine'])
  expect(made.spec.domain?.cpu).toEqual({ cores: 1, sockets: 1, threads: 1, model: 'host-model' })
  expect(made.spec.domain?.machine).toEqual({ type: 'q35' })
  expect(made.spec.domain?.memory).toEqual({ guest: '1Gi' })
})
