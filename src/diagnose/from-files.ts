import { EXIT, MigError } from '../errors.ts'
import { gatherFiles } from '../evidence/files.ts'
import type { Limits } from '../evidence/limits.ts'
import { diagnose } from './engine.ts'
import { type DiagnosisReport, reportOf } from './report.ts'
import { lineKinds } from './texts.ts'
import { plural } from './words.ts'

export interface FromFiles {
  /** Files, folders, archives; `-` is standard input. */
  paths: string[]
  stdin: AsyncIterable<Uint8Array>
  /** ms; the newest moment in the evidence when left out. */
  now?: number | undefined
  /** ms; when the report is made. */
  generatedAt: number
  limits?: Limits
}

/**
 * Reads files and judges what they hold.
 * @throws MigError exit 2 when a path cannot be read, or nothing in them speaks of a migration or a VM
 */
export async function diagnoseFiles({
  paths,
  stdin,
  now,
  generatedAt,
  limits,
}: FromFiles): Promise<DiagnosisReport> {
  const evidence = await gatherFiles({ paths, stdin, lineKinds, ...(limits && { limits }) })
  const diagnosis = diagnose(evidence, now ?? evidence.latest ?? generatedAt)
  if (diagnosis.judged.length === 0) {
    const read = `${plural(evidence.objects.count(), 'object')} of interest and ${plural(evidence.logLines, 'log line')} in ${plural(evidence.logFiles, 'log file')}`
    const broken = evidence.gaps[0]
    throw new MigError(
      EXIT.usage,
      `nothing in ${paths.join(', ')} speaks of a migration or a VM (read ${read}${broken ? `; not read: ${broken.what}, ${broken.detail}` : ''})`,
      {
        hint: 'looked for VirtualMachineInstanceMigrations, VirtualMachineInstances and log lines of KubeVirt, libvirt or QEMU about a migration',
      },
    )
  }
  return reportOf(diagnosis, generatedAt)
}
