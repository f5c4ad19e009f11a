import type { ResourceQuota } from '../../../kubevirt/types.ts'
import { admitPod } from '../../../rules/quota.ts'
import type { Kind } from '../kind.ts'
import { asPod } from '../kinds/pod.ts'
import { forbidden } from '../status.ts'
import type { Store } from '../store.ts'
import type { AdmissionHook } from './hook.ts'

/** Kubernetes' quota admission: refuses a pod that is too much, and charges one that is let in at once. */
export function quotaAdmission(store: Store, quotas: Kind): AdmissionHook {
  return {
    handles: ({ kind, operation }) => kind.kind === 'Pod' && operation === 'CREATE',
    validate({ kind, name, namespace, object }) {
      const present = store.list(quotas, namespace ?? '')
      if (present.length === 0) return
      const decision = admitPod(asPod(object!), present as unknown as ResourceQuota[])
      if (!decision.admit) throw forbidden(kind, name, decision.blockers[0].message)
      return () => {
        for (const { quota, used } of decision.charges) {
          const current = store.get(quotas, namespace, quota)!
          const status = current['status'] as ResourceQuota['status']
          store.replace(quotas, {
            ...current,
            status: { ...status, used: { ...status?.used, ...used } },
          })
        }
      }
    },
  }
}
