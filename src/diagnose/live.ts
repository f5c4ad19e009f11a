import type { Cluster } from '../cluster/cluster.ts'
import { EXIT, MigError } from '../errors.ts'
import { logSourcesOf, logsSince } from '../evidence/cluster/log-sources.ts'
import { readLogs } from '../evidence/cluster/logs.ts'
import { gatherVm } from '../evidence/cluster/one-vm.ts'
import type { Standing } from '../evidence/cluster/probe-plan.ts'
import type { Reader } from '../evidence/cluster/reader.ts'
import type { Found } from '../evidence/cluster/subject.ts'
import { gatherUnwell } from '../evidence/cluster/unwell.ts'
import { isFinal } from '../kubevirt/migration.ts'
import type { Reference } from '../kubevirt/reference.ts'
import { VMIS } from '../kubevirt/resources.ts'
import type { Migration, Vmi } from '../kubevirt/types.ts'
import { diagnose, type Judged } from './engine.ts'
import { type DiagnosisReport, reportOf } from './report.ts'
import type { Subject, World } from './subject.ts'
import { lineKinds } from './texts.ts'
import {
  isInFlight,
  isToldYoung,
  isUnwell,
  isWithin,
  lastFailed,
  placeSubject,
  type UnwellScope,
} from './unwell.ts'

export interface LiveOptions {
  /** ms */
  now: number
  signal: AbortSignal
  /** Default: the cluster's. */
  namespace?: string | undefined
  /** Read logs too. */
  logs?: boolean
  look?: Look
}

/** Looks at more, once the migrations are known: at their proxies. */
export type Look = (reader: Reader, migrations: Standing[]) => Promise<void>

/**
 * Gathers what bears on one VM or migration from a cluster, and judges it.
 * @throws MigError: there is no such VM or migration, or the VM does not run (9); it may not be read (8)
 */
export async function diagnoseLive(
  cluster: Cluster,
  reference: Reference,
  { now, signal, namespace = cluster.namespace, logs = false, look }: LiveOptions,
): Promise<DiagnosisReport> {
  const more = async (reader: Reader, found: Found) => {
    const { vmi, migrations } = found
    await Promise.all([
      logs &&
        readLogs(cluster, reader, logSourcesOf(reader, found), {
          lineKinds,
          since: logsSince(found, now),
          signal,
        }),
      look?.(
        reader,
        migrations.map((migration) => ({ migration, vmi })),
      ),
    ])
  }
  const { evidence, found } = await gatherVm(cluster, reference, {
    namespace,
    now,
    signal,
    more,
  })
  const isAbout = (subject: Subject) =>
    subject.namespace === found.namespace &&
    subject.name === found.name &&
    (!found.named ||
      !subject.migration ||
      subject.migration.metadata.name === found.named.metadata.name)
  const diagnosis = diagnose(evidence, now, { isAbout, asked: true })
  if (diagnosis.judged.length === 0)
    throw new MigError(
      EXIT.notFound,
      `${found.name} does not run (${found.vm?.status?.printableStatus ?? 'it has no VMI'}), and it has no migration`,
      { hint: 'only a VM that runs can be migrated' },
    )
  return reportOf(diagnosis, now)
}

export interface UnwellOptions extends UnwellScope {
  /** ms */
  now: number
  signal: AbortSignal
}

/** Gathers what is not well in a namespace, on a node or in the whole cluster, and judges it. */
export async function diagnoseUnwell(
  cluster: Cluster,
  { now, signal, ...scope }: UnwellOptions,
): Promise<DiagnosisReport> {
  const evidence = await gatherUnwell(cluster, { ...scope, signal })
  let young = 0
  let unjudged = 0
  const isAbout = (subject: Subject) => {
    if (!isWithin(subject, scope)) return false
    if (isUnwell(subject, now)) return true
    if (!isInFlight(subject)) return false
    if (young < YOUNG) return ++young > 0
    unjudged++
    return false
  }
  const isTold = (judged: Judged) => isUnwell(judged.subject, now) || isToldYoung(judged)
  const place = (untold: Subject[]) => placeSubject(scope, { inFlight: untold.length + unjudged })
  return reportOf(diagnose(evidence, now, { isAbout, isTold, place }), now)
}

/** So many that have only begun are judged: a cluster may begin with hundreds at once. */
const YOUNG = 100

/** Gathers all migrations of a namespace that are in flight, looks at more of them, and judges them. */
export async function diagnoseInFlight(
  cluster: Cluster,
  {
    now,
    signal,
    namespace,
    look,
  }: { now: number; signal: AbortSignal; namespace: string; look: Look },
): Promise<DiagnosisReport> {
  const scope = { namespace, node: undefined }
  const isOwn = (migration: Migration | undefined) =>
    migration !== undefined && migration.metadata.namespace === namespace && !isFinal(migration)
  const more = (reader: Reader, migrations: Migration[]) =>
    look(
      reader,
      migrations.filter(isOwn).map((migration) => ({
        migration,
        vmi: reader.objects.get<Vmi>(VMIS.kind, namespace, migration.spec.vmiName ?? ''),
      })),
    )
  const evidence = await gatherUnwell(cluster, { ...scope, signal, more })
  const isAbout = ({ migration }: Subject) => isOwn(migration)
  const place = (_: Subject[], world: World) =>
    placeSubject(scope, { inFlight: 0, over: { lastFailed: lastFailed(world, namespace) } })
  return reportOf(diagnose(evidence, now, { isAbout, place }), now)
}
