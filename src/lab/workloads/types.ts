import type { Condition, KubeObject, Pod } from '../../kubevirt/types.ts'
import type { LabelSelector } from '../../rules/label-selector.ts'

/** What each pod is made of. */
export interface PodTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> }
  spec: Pod['spec']
}

/** A number, or a share of all in percent. */
export type Share = number | string

interface Workload extends KubeObject {
  spec: { selector: LabelSelector; template: PodTemplate }
}

export interface DaemonSet extends Workload {
  spec: Workload['spec'] & {
    revisionHistoryLimit?: number
    updateStrategy?: { type?: string; rollingUpdate?: { maxUnavailable?: Share } }
  }
  status?: object
}

/** A template that a DaemonSet has or has had, as what makes it of the set as it is. */
export interface ControllerRevision extends KubeObject {
  data: { spec: { template: PodTemplate & { $patch: 'replace' } } }
  revision: number
}

export interface ReplicaSet extends Workload {
  spec: Workload['spec'] & { replicas?: number }
  status?: { replicas?: number; readyReplicas?: number; availableReplicas?: number }
}

export interface Deployment extends Workload {
  spec: Workload['spec'] & {
    replicas?: number
    paused?: boolean
    strategy?: { type?: string; rollingUpdate?: { maxSurge?: Share; maxUnavailable?: Share } }
  }
  status?: { conditions?: DeploymentCondition[] }
}

export interface DeploymentCondition extends Condition {
  lastUpdateTime?: string | undefined
}
