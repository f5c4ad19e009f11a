import { systemClock } from '../clock.ts'
import { junitOf } from '../diagnose/junit.ts'
import { exitCodeOf } from '../diagnose/outcome.ts'
import { type Probed, probedReport } from '../diagnose/probed/report.ts'
import { interruption } from '../interrupt.ts'
import { diagnosisText } from './diagnosis.ts'
import { print } from './output.ts'
import { terminalOf } from './terminal.ts'

interface ProbeFlags {
  'fail-on': 'fail' | 'warn'
  output?: 'json' | 'yaml' | 'junit' | undefined
  color: boolean
}

/** Carries out a probe of this machine, ended by Ctrl-C, prints its report on stdout and sets the exit code. */
export async function answerProbe(
  flags: ProbeFlags,
  probe: (signal: AbortSignal, now: number) => Promise<Probed>,
): Promise<void> {
  const { signal, close } = interruption()
  try {
    const now = systemClock.now()
    const report = probedReport(await probe(signal, now), now)
    const out = terminalOf(process.stdout, { color: flags.color })
    if (flags.output === 'junit') out.write(junitOf(report))
    else await print(out, report, flags.output, () => diagnosisText(report, out))
    process.exitCode = exitCodeOf(report, { failOn: flags['fail-on'] })
  } finally {
    close()
  }
}
