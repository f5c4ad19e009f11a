import type { PolicyRule } from '../authorization.ts'

/**
 * KubeVirt 1.9's roles (fact sheet control-plane.md §6), as `auth can-i --list` showed them on a real cluster
 * (traces/kubectl.txt).
 */

const READ = ['get', 'list', 'watch']
const EDITED = ['get', 'delete', 'create', 'update', 'patch', 'list', 'watch']
const ALL = [...EDITED, 'deletecollection']
const SUBRESOURCES = 'subresources.kubevirt.io'

const MACHINES = [
  'virtualmachines',
  'virtualmachineinstances',
  'virtualmachineinstancepresets',
  'virtualmachineinstancereplicasets',
]
const CLUSTER_TYPES = ['virtualmachineclusterinstancetypes', 'virtualmachineclusterpreferences']

export const KUBEVIRT_VIEW: PolicyRule[] = [
  ...onKinds(READ),
  resources('kubevirt.io', ['virtualmachineinstancemigrations'], READ),
  resources('migrations.kubevirt.io', ['migrationpolicies'], READ),
  resources('plugin.kubevirt.io', ['plugins'], READ),
  ...onSubresources(
    [
      'filesystemlist',
      'guestosinfo',
      'objectgraph',
      'sev/fetchcertchain',
      'sev/querylaunchmeasurement',
      'userlist',
    ],
    ['expand-spec', 'objectgraph'],
    ['get'],
  ),
  resources(SUBRESOURCES, ['expand-vm-spec'], ['update']),
]

export const KUBEVIRT_EDIT = edit(EDITED)
export const KUBEVIRT_ADMIN = edit(ALL)

/** Bound to nobody: since 1.5 even an admin of a namespace has to be given it by hand. */
export const KUBEVIRT_MIGRATE: PolicyRule[] = [
  resources('kubevirt.io', ['virtualmachineinstancemigrations'], ALL),
  resources(SUBRESOURCES, ['virtualmachines/migrate'], ['update']),
]

/** What everybody has who is known at all. */
export const KUBEVIRT_DEFAULT: PolicyRule[] = [
  resources('kubevirt.io', ['kubevirts'], ['get', 'list']),
  resources(SUBRESOURCES, ['version', 'guestfs'], ['get', 'list']),
]
export const INSTANCETYPE_VIEW: PolicyRule[] = [
  resources('instancetype.kubevirt.io', CLUSTER_TYPES, READ),
]

function edit(verbs: string[]): PolicyRule[] {
  return [
    ...onKinds(verbs),
    resources('instancetype.kubevirt.io', CLUSTER_TYPES, verbs),
    resources('kubevirt.io', ['virtualmachineinstancemigrations'], READ),
    resources('migrations.kubevirt.io', ['migrationpolicies'], READ),
    ...onSubresources(
      [
        'console',
        'filesystemlist',
        'guestosinfo',
        'objectgraph',
        'portforward',
        'sev/fetchcertchain',
        'sev/querylaunchmeasurement',
        'usbredir',
        'userlist',
        'vnc',
      ],
      ['expand-spec', 'objectgraph', 'portforward'],
      ['get'],
    ),
    resources(SUBRESOURCES, ['expand-vm-spec'], ['update']),
    ...onSubresources(
      [
        'addvolume',
        'evacuate/cancel',
        'freeze',
        'pause',
        'removevolume',
        'reset',
        'sev/injectlaunchsecret',
        'sev/setupsession',
        'softreboot',
        'unfreeze',
        'unpause',
      ],
      [
        'addvolume',
        'evacuate/cancel',
        'memorydump',
        'removememorydump',
        'removevolume',
        'restart',
        'start',
        'stop',
      ],
      ['update'],
    ),
  ]
}

function onKinds(verbs: string[]): PolicyRule[] {
  return [
    resources('kubevirt.io', MACHINES, verbs),
    resources(
      'backup.kubevirt.io',
      ['virtualmachinebackups', 'virtualmachinebackuptrackers'],
      verbs,
    ),
    resources('clone.kubevirt.io', ['virtualmachineclones'], verbs),
    resources('export.kubevirt.io', ['virtualmachineexports'], verbs),
    resources(
      'instancetype.kubevirt.io',
      ['virtualmachineinstancetypes', 'virtualmachinepreferences'],
      verbs,
    ),
    resources('pool.kubevirt.io', ['virtualmachinepools'], verbs),
    resources(
      'snapshot.kubevirt.io',
      ['virtualmachinesnapshots', 'virtualmachinesnapshotcontents', 'virtualmachinerestores'],
      verbs,
    ),
  ]
}

function onSubresources(vmis: string[], vms: string[], verbs: string[]): PolicyRule[] {
  return [
    resources(
      SUBRESOURCES,
      vmis.map((name) => `virtualmachineinstances/${name}`),
      verbs,
    ),
    resources(
      SUBRESOURCES,
      vms.map((name) => `virtualmachines/${name}`),
      verbs,
    ),
  ]
}

function resources(group: string, names: string[], verbs: string[]): PolicyRule {
  return { apiGroups: [group], resources: names, verbs }
}
