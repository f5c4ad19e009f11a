import type { VirtualResource } from './discovery/entries.ts'
import { bindingRoute } from './pods/binding.ts'
import { evictionRoute } from './pods/eviction.ts'
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

/** Everything that is no plain verb on an object. */
export const SPECIAL_ROUTES: SpecialRoute[] = [
  bindingRoute,
  evictionRoute,
  proxyRoute,
  accessReviewRoute,
  rulesReviewRoute,
  selfReviewRoute,
  ...SUBRESOURCE_ROUTES,
]

export const VIRTUAL_RESOURCES: VirtualResource[] = [...REVIEW_RESOURCES, ...SUBRESOURCES]
