import type { VirtualResource } from '../discovery/entries.ts'

const GROUP = 'subresources.kubevirt.io'
const VERSIONS = ['v1', 'v1alpha3']

/** What the aggregated API has of what bears on a migration (fact sheet control-plane.md §1.1), for discovery. */
export const SUBRESOURCES: VirtualResource[] = VERSIONS.flatMap((version) =>
  [
    'virtualmachines/migrate',
    'virtualmachines/start',
    'virtualmachines/stop',
    'virtualmachines/restart',
    'virtualmachines/evacuate/cancel',
    'virtualmachineinstances/backup',
    'virtualmachineinstances/evacuate/cancel',
    ...['virtualmachines', 'virtualmachineinstances'].flatMap((plural) => [
      `${plural}/addvolume`,
      `${plural}/removevolume`,
    ]),
  ].map((plural) => ({
    group: GROUP,
    version,
    plural,
    singular: '',
    kind: '',
    namespaced: true,
    verbs: ['update'],
  })),
)
