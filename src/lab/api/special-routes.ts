import type { VirtualResource } from './discovery/entries.ts'
import { bindingRoute } from './pods/binding.ts'
import { evictionRoute } from './pods/eviction.ts'
import { attachRoute, execRoute } from './pods/exec.ts'
import { logRoute } from './pods/log.ts'
import { portForwardRoute } from './pods/port-forward.ts'
import { proxyRoute } from './pods/proxy.ts'
import {
  accessReviewRoute,
  REVIEW_RESOURCES,
  rulesReviewRoute,
  selfReviewRoute,
} from './reviews/self-subject.ts'
import type { SpecialRoute } from './router.ts'
import { SUBRESOURCE_ROUTES } from './subresources/index.ts'
import { SUBRESOURCES } from './subresources/resources.ts'
import { SCALE_ROUTES } from './subresources/scale.ts'
import type { UpgradeRoute } from './upgrade.ts'

/** Everything that is no plain verb on an object. */
export const SPECIAL_ROUTES: SpecialRoute[] = [
  bindingRoute,
  evictionRoute,
  logRoute,
  proxyRoute,
  accessReviewRoute,
  rulesReviewRoute,
  selfReviewRoute,
  ...SCALE_ROUTES,
  ...SUBRESOURCE_ROUTES,
]

/** Connections that leave HTTP behind. */
export const UPGRADE_ROUTES: UpgradeRoute[] = [execRoute, attachRoute, portForwardRoute]

export const VIRTUAL_RESOURCES: VirtualResource[] = [...REVIEW_RESOURCES, ...SUBRESOURCES]
