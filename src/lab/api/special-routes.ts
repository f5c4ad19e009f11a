import type { VirtualResource } from './discovery.ts'
import { bindingRoute } from './pods/binding.ts'
import type { SpecialRoute } from './router.ts'

/** Everything that is no plain verb on an object. */
export const SPECIAL_ROUTES: SpecialRoute[] = [bindingRoute]

export const VIRTUAL_RESOURCES: VirtualResource[] = []
