import { LABEL } from '../../kubevirt/labels.ts'
import { KUBEVIRT_VERSION, NAMESPACE } from '../seed.ts'
import type { DaemonSet, PodTemplate } from './types.ts'

/** virt-handler, as virt-operator installs it: one on each node. */
export function handlerDaemonSet(): DaemonSet & { apiVersion: string; kind: string } {
  const component = 'virt-handler'
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: component, namespace: NAMESPACE, labels: labelsOf(component) },
    spec: {
      selector: { matchLabels: { [LABEL.app]: component } },
      template: template(component, { 'prometheus.kubevirt.io': 'true' }),
    },
  }
}

/**
 * virt-controller and virt-api, as virt-operator installs them: two of each, where there are two nodes for them.
 * @param nodes that they prefer, in the place of a control plane's
 */
export function controlPlaneDeployments(nodes: readonly string[]): object[] {
  return ['virt-controller', 'virt-api'].map((component) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: component, namespace: NAMESPACE, labels: labelsOf(component) },
    spec: {
      replicas: nodes.length,
      selector: { matchLabels: { [LABEL.app]: component } },
      template: preferring(nodes, template(component, { 'prometheus.kubevirt.io': 'true' })),
    },
  }))
}

function labelsOf(component: string): Record<string, string> {
  return {
    'app.kubernetes.io/component': 'kubevirt',
    'app.kubernetes.io/managed-by': 'virt-operator',
    'app.kubernetes.io/version': KUBEVIRT_VERSION,
    [LABEL.app]: component,
  }
}

function template(component: string, labels: Record<string, string>): PodTemplate {
  return {
    metadata: { labels: { ...labelsOf(component), ...labels } },
    spec: {
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      tolerations: [{ key: 'CriticalAddonsOnly', operator: 'Exists' }],
      containers: [{ name: component, image: `registry/${component}:${KUBEVIRT_VERSION}` }],
    },
  }
}

function preferring(nodes: readonly string[], { metadata, spec }: PodTemplate): PodTemplate {
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: nodes }]
  const nodeAffinity = {
    preferredDuringSchedulingIgnoredDuringExecution: [
      { weight: 1, preference: { matchExpressions } },
    ],
  }
  return { ...(metadata && { metadata }), spec: { ...spec, affinity: { nodeAffinity } } }
}
