import { randomBytes } from 'node:crypto'

export interface LabUser {
  name: string
  groups: string[]
  extra?: Record<string, string[]>
  /** Bearer token; never logged. */
  token: string
}

/** Who a request acts as; without the secret. */
export type UserInfo = Omit<LabUser, 'token'>

const KUBEVIRT_NAMESPACE = 'kubevirt'

/** The accounts of a lab with these nodes, each with a token of its own, named as in KubeVirt. */
export function wellKnownUsers(nodeNames: string[]): LabUser[] {
  return [
    user('admin', ['system:masters']),
    user('user', ['system:masters']),
    user('viewer'),
    user('editor'),
    serviceAccount(KUBEVIRT_NAMESPACE, 'kubevirt-controller'),
    serviceAccount(KUBEVIRT_NAMESPACE, 'kubevirt-apiserver'),
    user('system:kube-scheduler'),
    user('system:kube-controller-manager', ['system:masters']),
    ...nodeNames.flatMap((node) => [
      user(`system:node:${node}`, ['system:nodes']),
      // One account for all handlers, told apart by the node that their tokens are bound to.
      serviceAccount(KUBEVIRT_NAMESPACE, 'kubevirt-handler', {
        'authentication.kubernetes.io/node-name': [node],
      }),
    ]),
  ]
}

/** How a user is called in a kubeconfig: handlers share one name, so theirs carries the node. */
export function kubeconfigName({ name, extra }: UserInfo): string {
  const node = extra?.['authentication.kubernetes.io/node-name']?.[0]
  return node === undefined ? name : `${name}@${node}`
}

function user(name: string, groups: string[] = []): LabUser {
  return { name, groups: [...groups, 'system:authenticated'], token: newToken() }
}

function serviceAccount(
  namespace: string,
  name: string,
  extra?: Record<string, string[]>,
): LabUser {
  return {
    ...user(`system:serviceaccount:${namespace}:${name}`, [
      'system:serviceaccounts',
      `system:serviceaccounts:${namespace}`,
    ]),
    ...(extra ? { extra } : {}),
  }
}

function newToken(): string {
  return randomBytes(24).toString('base64url')
}
