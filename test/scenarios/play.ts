import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import SCHEMA from '../../schema/diagnosis-report.json' with { type: 'json' }
import { systemClock } from '../../src/clock.ts'
import type { DiagnosisReport } from '../../src/diagnose/report.ts'
import { type Lab, type LabOptions, startLab } from '../../src/lab/lab.ts'
import type { Scenario } from '../../src/lab/scenario/scenario.ts'
import type { Ended } from '../commands/run.ts'

export interface Played {
  lab: Lab
  /** A command line as a person types it, with the lab's kubeconfig; `kubectl mig` is the source itself. */
  type(line: string): Promise<Ended>
  /** `kubectl mig diagnose …` as one document, checked against its schema. */
  diagnose(line: string): Promise<Diagnosed>
}

interface Diagnosed {
  exit: number | null
  code: string
  /** `MIG1234 fail`, what is no pass and no information. */
  findings: string[]
  coverage: DiagnosisReport['coverage']
}

const isValid = new Ajv().compile(SCHEMA)

/** The source itself. */
const PROGRAM = fileURLToPath(new URL('../../bin/dev.js', import.meta.url))

/**
 * A lab in the scenario's state, which goes with the test.
 * @param onTestFinished of the test's own context, as several run at once @param instead as flags that are given
 */
export async function play(
  { lab: wanted, ...scenario }: Scenario,
  onTestFinished: (end: () => void | Promise<void>) => void,
  instead: Partial<LabOptions> = {},
): Promise<Played> {
  const lab = await startLab({
    name: `${scenario.name}-${process.pid}`.slice(-40),
    nodes: 3,
    vms: 4,
    guest: 'synthetic',
    dirtyRate: wanted['dirty-rate'] ?? '4Mi',
    ...wanted,
    ...instead,
    scenario: { ...scenario, lab: wanted },
    clock: systemClock,
  })
  onTestFinished(() => lab.close())
  const folder = await mkdtemp(join(tmpdir(), 'mig-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const env = { KUBECONFIG: join(folder, 'kubeconfig'), HOME: folder }
  await writeFile(env.KUBECONFIG, lab.kubeconfig(), { mode: 0o600 })

  function type(line: string): Promise<Ended> {
    const [program = '', ...args] = words(line)
    return args[0] === 'mig'
      ? spawned(process.execPath, [PROGRAM, ...args.slice(1)], env)
      : spawned(program, args, env)
  }

  async function diagnose(line: string): Promise<Diagnosed> {
    const { code: exit, stdout, stderr } = await type(`${line} -o json`)
    const report = JSON.parse(stdout || '{}')
    if (!isValid(report)) throw new Error(`${stderr}${JSON.stringify(isValid.errors)}`)
    const { verdict, subjects, coverage } = report as unknown as DiagnosisReport
    const bad = subjects
      .flatMap(({ findings }) => findings)
      .filter(({ status }) => !['pass', 'info'].includes(status))
    const findings = bad.map(({ code, status }) => `${code} ${status}`)
    return { exit, code: verdict.code, findings, coverage }
  }

  return { lab, type, diagnose }
}

/** As a shell splits a line: at blanks, but not between single quotes. */
function words(line: string): string[] {
  return Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, word]) => quoted ?? word ?? '')
}

function spawned(program: string, args: string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const options = { env: { PATH: process.env['PATH'], ...env } }
  return new Promise((resolve) => {
    execFile(program, args, options, (err, stdout, stderr) => {
      const code = err ? (typeof err.code === 'number' ? err.code : 1) : 0
      resolve({ code, stdout, stderr: err && stderr === '' ? err.message : stderr })
    })
  })
}
