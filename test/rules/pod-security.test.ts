import { describe, expect, test } from 'vitest'
import { launcherPod } from '../../src/rules/launcher-pod.ts'
import { podSecurityOf } from '../../src/rules/pod-security.ts'
import { vmi } from './objects.ts'

const enforce = (level: string, version?: string) => ({
  metadata: {
    name: 'demo',
    labels: {
      'pod-security.kubernetes.io/enforce': level,
      ...(version ? { 'pod-security.kubernetes.io/enforce-version': version } : {}),
    },
  },
})
const launcher = launcherPod(vmi(), { kubevirt: undefined })

test('a launcher lacks only a seccomp profile to be restricted', () => {
  const decision = podSecurityOf(launcher, enforce('restricted'))
  expect(!decision.admit && decision.message).toBe(
    'violates PodSecurity "restricted:latest": seccompProfile (pod or containers "guest-console-log", "compute" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  )
  const profiled = {
    spec: {
      ...launcher.spec,
      securityContext: {
        ...launcher.spec.securityContext,
        seccompProfile: { type: 'RuntimeDefault' },
      },
    },
  }
  expect(podSecurityOf(profiled, enforce('restricted'))).toEqual({ admit: true })
})

test('baseline and privileged namespaces take it as it is', () => {
  expect(podSecurityOf(launcher, enforce('baseline'))).toEqual({ admit: true })
  expect(podSecurityOf(launcher, enforce('privileged'))).toEqual({ admit: true })
  expect(podSecurityOf(launcher, undefined)).toEqual({ admit: true })
})

describe('what a namespace forbids', () => {
  const pod = (spec: object, securityContext: object = {}) => ({
    spec: { containers: [{ name: 'c', securityContext }], ...spec },
  })
  test.each([
    ['host namespaces (hostNetwork=true)', pod({ hostNetwork: true })],
    ['hostPath volumes (volume "v")', pod({ volumes: [{ name: 'v', hostPath: {} }] })],
    [
      'privileged (container "c" must not set securityContext.privileged=true)',
      pod({}, { privileged: true }),
    ],
    [
      'non-default capabilities (container "c" must not include "SYS_ADMIN" in securityContext.capabilities.add)',
      pod({}, { capabilities: { add: ['CHOWN', 'SYS_ADMIN'] } }),
    ],
  ])('%s', (violation, of) => {
    const decision = podSecurityOf(of, enforce('baseline', 'v1.30'))
    expect(!decision.admit && decision.message).toBe(
      `violates PodSecurity "baseline:v1.30": ${violation}`,
    )
  })

  test('restricted wants everything said', () => {
    const decision = podSecurityOf(pod({}), enforce('restricted'))
    expect(!decision.admit && decision.violations.map((text) => text.split(' (')[0])).toEqual([
      'allowPrivilegeEscalation != false',
      'unrestricted capabilities',
      'runAsNonRoot != true',
      'seccompProfile',
    ])
  })
})
