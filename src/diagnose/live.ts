import type { Cluster } from '../cluster/cluster.ts'
import { EXIT, MigError } from '../errors.ts'
import { logSourcesOf, logsSince } from '../evidence/cluster/log-sources.ts'
import { readLogs } from '../evidence/cluster/logs.ts'
import { gatherVm } from '../evidence/cluster/one-vm.ts'
import type { Reader } from '../evidence/cluster/reader.ts'
import type { Found } from '../evidence/cluster/subject.ts'
import { gatherUnwell } from '../evidence/cluster/unwell.ts'
import type { Reference } from '../kubevirt/reference.ts'
import { diagnose } from './engine.ts'
import { type DiagnosisReport, reportOf } from './report.ts'
import type { Subject } from './subject.ts'
import { lineKinds } from './texts.ts'
import { isUnwell, isWithin, placeSubject, type UnwellScope } from './unwell.ts'

export interface LiveOptions {
  /** ms */
  now: number
  signal: AbortSignal
  /** Default: the cluster's. */
  namespace?: string | undefined
  /** Read logs too. */
  logs?: boolean
}

/**
 * Gathers what bears on one VM or migration from a cluster, and judges it.
 * @throws MigError: there is no such VM or migration, or the VM does not run (9); it may not be read (8)
 */
export async function diagnoseLive(
  cluster: Cluster,
  reference: Reference,
  { now, signal, namespace = cluster.namespace, logs = false }: LiveOptions,
): Promise<DiagnosisReport> {
  const more = (reader: Reader, found: Found) =>
    readLogs(cluster, reader, logSourcesOf(reader, found), {
      lineKinds,
      since: logsSince(found, now),
      signal,
    })
  const { evidence, found } = await gatherVm(cluster, reference, {
    namespace,
    now,
    signal,
    ...(logs && { more }),
  })
  const isAbout = (subject: Subject) =>
    subject.namespace === found.namespace &&
    subject.name === found.name &&
    (!found.named ||
      !subject.migration ||
      subject.migration.metadata.name === found.named.metadata.name)
  const diagnosis = diagnose(evidence, now, isAbout)
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
  const isAbout = (subject: Subject) => isWithin(subject, scope) && isUnwell(subject, now)
  return reportOf(diagnose(evidence, now, isAbout, placeSubject(scope)), now)
}
