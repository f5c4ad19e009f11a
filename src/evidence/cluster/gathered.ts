import type { Cluster } from '../../cluster/cluster.ts'
import type { KubeObject } from '../../kubevirt/types.ts'
import type { Evidence } from '../evidence.ts'
import { KINDS } from '../kinds.ts'
import { createObjects } from '../objects.ts'
import type { Reader } from './reader.ts'

/** What a reader has read, as evidence. */
export function evidenceFrom(
  { objects: read, gaps, logs, probes }: Reader,
  { context, server }: Cluster,
  keep: (object: KubeObject) => boolean = () => true,
): Evidence {
  const objects = createObjects()
  for (const kind of KINDS) {
    if (read.seen(kind)) objects.sawKind(kind)
    for (const object of read.list<KubeObject & { kind: string }>(kind))
      if (keep(object)) objects.add(object, read.originOf(object))
  }
  return {
    source: { kind: 'cluster', from: [context ?? server] },
    objects,
    logs: logs.hits,
    logLines: logs.lines,
    logFiles: logs.files,
    gaps,
    ...(probes && { probes }),
    latest: undefined,
  }
}
