import { ASSUMED_RELEASE, releaseOf } from '../kubevirt/defaults.ts'
import { phaseOf } from '../kubevirt/migration.ts'
import type {
  KubeVirt,
  Migration,
  MigrationPolicy,
  Namespace,
  Node,
  Pod,
  ResourceQuota,
  Vm,
  Vmi,
} from '../kubevirt/types.ts'
import { admitMigration, inFlight } from '../rules/admission.ts'
import { automaticLimits } from '../rules/automatic-limits.ts'
import type { ClusterView } from '../rules/capacity.ts'
import { type Settings, settingsFor } from '../rules/configuration.ts'
import { launcherPod } from '../rules/launcher-pod.ts'
import { limitsOf } from '../rules/pending-timeout.ts'
import { nodeObstacle } from '../rules/placement-node.ts'
import type { Obstacle } from '../rules/placement-obstacle.ts'
import { type PolicyDecision, policyFor } from '../rules/policy.ts'
import { admitPod, type QuotaDecision } from '../rules/quota.ts'
import type { Gap } from './gap.ts'
import { type SettingReport, settingReports } from './settings.ts'
import { type Waiting, waitingFor } from './waiting.ts'

/** What was read before anything is created; undefined is what could not be read, and `gaps` say why. */
export interface Surroundings {
  view: ClusterView | undefined
  kubevirt: KubeVirt | undefined
  policies: MigrationPolicy[] | undefined
  inNamespace: Namespace | undefined
  quotas: ResourceQuota[] | undefined
  gaps: Gap[]
}

export interface Facts extends Surroundings {
  namespace: string
  name: string
  vm: Vm | undefined
  vmi: Vmi | undefined
  /** Of this VM. */
  migrations: Migration[]
  /** The nodes that its own node selector fits; undefined where it has none, or nodes may not be read. */
  fitting?: string[] | undefined
}

export interface Blocker {
  /** The rule that refuses (`in-flight`, `not-migratable` …), or ours: `not-running`. */
  check: string
  /** What it says, in KubeVirt's own words where they are its. */
  message: string
  /** What stands in the way: the other migration. */
  migration?: { name: string; phase: string }
}

/** What will happen to a migration that is started now. */
export interface Forecast {
  /** Empty when it is admitted; else all that refuse, not only the first that a webhook would name. */
  blockers: Blocker[]
  namespace: string
  node: string | undefined
  /** Undefined when policies could not be read. */
  policy: PolicyDecision | undefined
  /** What holds, and who says so; without policies as if there were none. */
  settings: Settings
  /** Undefined when migrations of other namespaces could not be read: the limits count them. */
  capacity: Waiting | undefined
  /** Whether the quotas of the namespace have room for the target pod; undefined when they could not be read. */
  quota: QuotaDecision | undefined
  /** Whether the node that was named takes the target pod; undefined when none was. */
  target: TargetDecision | undefined
  /** Its own node selector, where that leaves no node but the one that it runs on. */
  bound: BoundDecision | undefined
  gaps: Gap[]
}

interface TargetDecision {
  node: string
  /** What the scheduler would object to: a cordon, a taint. How full the node is, is not looked into. */
  obstacle: Obstacle | undefined
  /** ms; so long KubeVirt waits for a pod that no node takes. */
  givesUpAfter: number
}

interface BoundDecision {
  selector: Record<string, string>
  /** ms, as above. */
  givesUpAfter: number
}

/** One that a user starts has no priority. */
const PLANNED: Migration = { metadata: { name: '', uid: 'planned' }, spec: {} }

/**
 * Predicts by the rules that KubeVirt's controller follows; what it says of capacity holds for this moment only.
 * @param target the one node that was named
 */
export function forecast(facts: Facts, target?: Node): Forecast {
  const { vmi, policies, inNamespace, view } = facts
  const policy = policies && policyFor(policies, vmi?.metadata.labels, inNamespace?.metadata.labels)
  return {
    blockers: blockersOf(facts),
    namespace: facts.namespace,
    node: vmi?.status?.nodeName,
    policy,
    settings: settingsFor(facts.kubevirt, policy?.winner?.policy),
    capacity: view && waitingFor(view, PLANNED, vmi),
    quota: quotaFor(facts),
    target: target && targetFor(facts, target),
    bound: target ? undefined : boundFor(facts),
    gaps: facts.gaps,
  }
}

/** Undefined where the KubeVirt CR or the policies could not be read: whatever was said then might be wrong. */
export function currentSettings(
  { kubevirt, policies }: Pick<Facts, 'kubevirt' | 'policies'>,
  { settings, policy }: Pick<Forecast, 'settings' | 'policy'>,
): SettingReport[] | undefined {
  if (!kubevirt || !policies) return undefined
  return settingReports(settings, { policy: policy?.winner?.policy, kubevirt })
}

/** While it moves, both pods count; a quota without room leaves the migration pending until there is some (§2.7a). */
function quotaFor(facts: Facts): QuotaDecision | undefined {
  const pod = podFor(facts)
  return pod && facts.quotas && admitPod(pod, facts.quotas)
}

function targetFor(facts: Facts, node: Node): TargetDecision {
  const pod = podFor(facts)
  return {
    node: node.metadata.name,
    obstacle: pod && nodeObstacle(pod, node),
    givesUpAfter: limitsOf(PLANNED).unschedulable,
  }
}

/** KubeVirt admits it all the same, and waits for a node that there is not. */
function boundFor({ vmi, fitting }: Facts): BoundDecision | undefined {
  if (!vmi || !fitting || fitting.some((node) => node !== vmi.status?.nodeName)) return undefined
  const givesUpAfter = limitsOf(PLANNED).unschedulable
  return { selector: vmi.spec.nodeSelector ?? {}, givesUpAfter }
}

function podFor({ vmi, kubevirt, inNamespace, quotas }: Facts): Pod | undefined {
  if (!vmi) return undefined
  const pod = launcherPod(vmi, {
    kubevirt,
    release: releaseOf(kubevirt) ?? ASSUMED_RELEASE,
    limits: automaticLimits(inNamespace, quotas ?? [], kubevirt),
  })
  return { ...pod, metadata: { ...pod.metadata, name: '' } }
}

function blockersOf({ namespace, name, vm, vmi, migrations }: Facts): Blocker[] {
  // A VM without VMI does exist: it is not running.
  const instance = vmi ?? { metadata: { name, namespace }, spec: {} }
  const admission = admitMigration({
    namespace,
    spec: { vmiName: name },
    vmi: instance,
    migrations,
    userName: '',
  })
  const refusals = admission.admit ? [] : admission.blockers
  const active = inFlight(migrations, instance)
  const blockers = refusals.map(
    ({ check, message }): Blocker =>
      check === 'in-flight' && active
        ? {
            check,
            message,
            migration: { name: active.metadata.name, phase: phaseOf(active) },
          }
        : { check, message },
  )
  const idle = notRunning(vm, vmi)
  return idle ? [idle, ...blockers.filter(({ check }) => check !== 'vmi-final')] : blockers
}

/**
 * The webhook lets a VM pass that does not run (yet), and the migration would then wait for it without end (fact sheet
 * control-plane.md §3.1): that is not what is meant by moving a VM.
 */
function notRunning(vm: Vm | undefined, vmi: Vmi | undefined): Blocker | undefined {
  const phase = vmi?.status?.phase
  if (phase === 'Running') return undefined
  const state = vm?.status?.printableStatus ?? phase ?? (vmi ? 'Pending' : 'Stopped')
  return { check: 'not-running', message: `it is not running: its status is ${state}` }
}
