import type { KubeVirt } from '../../../kubevirt/types.ts'
import type { SpecialRoute } from '../router.ts'
import { backupRoute } from './backup.ts'
import { evacuateCancelRoutes } from './evacuate-cancel.ts'
import { migrateRoute } from './migrate.ts'
import { powerRoutes } from './power.ts'
import { replyJson, subresourceRoute } from './route.ts'
import { volumeRoutes } from './volumes.ts'

/** `GET version`: which KubeVirt this is. */
const versionRoute = subresourceRoute('version', '', 'GET', (api, call) => {
  const [kubevirt] = api.store.list(api.kinds.find('kubevirt.io', 'kubevirts')!)
  const { observedKubeVirtVersion = 'v1.9.0' } =
    (kubevirt as unknown as KubeVirt | undefined)?.status ?? {}
  replyJson(call, {
    gitVersion: observedKubeVirtVersion,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: 'linux/amd64',
  })
})

export const SUBRESOURCE_ROUTES: SpecialRoute[] = [
  versionRoute,
  migrateRoute,
  backupRoute,
  ...powerRoutes,
  ...evacuateCancelRoutes,
  ...volumeRoutes,
]
