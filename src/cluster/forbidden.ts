import { KUBEVIRTS, MIGRATIONS } from '../kubevirt/resources.ts'

/** What Kubernetes' RBAC authorizer says in a 403. */
export interface Denial {
  user: string
  verb: string
  resource: string
  group: string
  namespace: string | undefined
}

const DENIAL =
  /User "(?<user>.*?)" cannot (?<verb>\S+) resource "(?<resource>.*?)" in API group "(?<group>.*?)"(?: in the namespace "(?<namespace>.*?)"| at the cluster scope)/

/** Undefined when it was not the authorizer that refused: quota, pod security and admission policies answer 403 too. */
export function parseDenial(message: string): Denial | undefined {
  const found = DENIAL.exec(message)?.groups
  if (!found) return undefined
  const { user = '', verb = '', resource = '', group = '', namespace } = found
  return { user, verb, resource, group, namespace }
}

/** `user "viewer" may not create virtualmachineinstancemigrations.kubevirt.io in namespace "demo"`. */
export function describeDenial({ user, verb, resource, group, namespace }: Denial): string {
  const where = namespace === undefined ? 'cluster-wide' : `in namespace "${namespace}"`
  return `user "${user}" may not ${verb} ${group ? `${resource}.${group}` : resource} ${where}`
}

/** The role that grants it, and the command that gives it. Roles: fact sheet control-plane.md §6. */
export function grantFor(denial: Denial): string {
  const role = roleFor(denial)
  if (!role)
    return `a role that allows to ${denial.verb} ${denial.resource} must be bound to the user`
  const { user, namespace } = denial
  const account = /^system:serviceaccount:(.+):(.+)$/.exec(user)
  const subject = account ? `--serviceaccount=${account[1]}:${account[2]}` : `--user=${user}`
  const binding = namespace === undefined ? 'clusterrolebinding' : 'rolebinding'
  const where = namespace === undefined ? '' : ` -n ${namespace}`
  return `${role.note}: kubectl create ${binding} NAME --clusterrole=${role.name} ${subject}${where}`
}

function roleFor({ group, resource, verb }: Denial): { name: string; note: string } | undefined {
  const reads = ['get', 'list', 'watch'].includes(verb)
  if (!reads && group === MIGRATIONS.group && resource === MIGRATIONS.plural) {
    return {
      name: 'kubevirt.io:migrate',
      note: 'ClusterRole kubevirt.io:migrate grants it since KubeVirt 1.5, kubevirt.io:edit before',
    }
  }
  // No role lets a user watch the KubeVirt CR.
  const granted = group.endsWith('kubevirt.io') && group !== 'cdi.kubevirt.io'
  if (reads && granted && !(resource === KUBEVIRTS.plural && verb === 'watch'))
    return { name: 'kubevirt.io:view', note: 'ClusterRole kubevirt.io:view grants it' }
  return undefined
}
