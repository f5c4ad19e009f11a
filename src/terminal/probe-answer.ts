import { systemClock } from '../clock.ts'
import { type Probed, probedReport } from '../diagnose/probed/report.ts'
import { interruption } from '../interrupt.ts'
import { answerReport, type ReportFlags } from './report-answer.ts'

/** Carries out a probe of this machine, ended by Ctrl-C, prints its report on stdout and sets the exit code. */
export async function answerProbe(
  flags: ReportFlags,
  probe: (signal: AbortSignal, now: number) => Promise<Probed>,
): Promise<void> {
  const { signal, close } = interruption()
  try {
    const now = systemClock.now()
    await answerReport(probedReport(await probe(signal, now), now), flags)
  } finally {
    close()
  }
}
