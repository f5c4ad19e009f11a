/** The accounts that KubeVirt's own components use, in whatever namespace it is installed. */
const COMPONENTS = [
  'kubevirt-apiserver',
  'kubevirt-controller',
  'kubevirt-exportproxy',
  'kubevirt-handler',
  'kubevirt-operator',
  'kubevirt-synchronization-controller',
]

/** Where Kubernetes puts the node of a token that is bound to a pod. */
export const NODE_NAME_EXTRA = 'authentication.kubernetes.io/node-name'

/** "kubevirt-controller" of `system:serviceaccount:kubevirt:kubevirt-controller`; undefined for anybody else. */
export function componentOf(userName: string): string | undefined {
  const name = /^system:serviceaccount:[^:]+:([^:]+)$/.exec(userName)?.[1]
  return name !== undefined && COMPONENTS.includes(name) ? name : undefined
}
