import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { startApiServer } from '../../src/lab/api/server.ts'
import { wellKnownUsers } from '../../src/lab/api/users.ts'
import { findBinaries } from '../../src/lab/real-api/binaries.ts'
import { type AnyApiServer, startRealApiServer } from '../../src/lab/real-api/server.ts'
import { playScenario } from './conformance/play.ts'
import { loadScenarios, type Step } from './conformance/scenario.ts'

/**
 * Two API servers, the same requests, the same answers: those that a real kube-apiserver gave when they were recorded
 * (conformance/record.ts). Where the embedded one is known to differ, the step says how.
 */
const FILES = loadScenarios()
const options = { clock: systemClock, users: wellKnownUsers(['node-1', 'node-2']) }

conformance('the embedded API server', () => startApiServer(options), {
  answer: (step, answer) => (step.embedded === 'words' ? withoutWords(answer) : answer),
  differs: ({ embedded }) => embedded !== undefined && embedded !== 'words',
})

const binaries = await findBinaries(process.env)
if (binaries)
  conformance('kube-apiserver', () => startRealApiServer({ ...options, binaries }), {
    answer: (_step, answer) => answer,
    differs: () => false,
  })
else
  test.skip(
    'kube-apiserver: not built (test/e2e/build-kube-apiserver.sh), nor in KUBEBUILDER_ASSETS',
  )

interface Judgement {
  /** What is compared of an answer. */
  answer(step: Step, answer: unknown): unknown
  /** Whether another answer is expected. */
  differs(step: Step): boolean
}

function conformance(
  which: string,
  start: () => Promise<AnyApiServer>,
  { answer, differs }: Judgement,
): void {
  describe.concurrent(which, () => {
    let server: AnyApiServer
    beforeAll(async () => {
      server = await start()
    }, 150_000)
    afterAll(() => server?.close())

    describe.each(FILES)('$topic', ({ scenarios }) => {
      test.each(scenarios)('$name', async (scenario) => {
        const answers = await playScenario(server, scenario)
        const judged = scenario.steps.map((step, index) => {
          const name = `${step.method} ${step.path}`
          const [got, recorded] = [answers[index], step.answer].map((one) => answer(step, one))
          if (!differs(step)) return { got: { [name]: got }, recorded: { [name]: recorded } }
          const still = isDeepStrictEqual(got, recorded) ? 'no longer' : 'still'
          return { got: { [name]: `${still} differs` }, recorded: { [name]: 'still differs' } }
        })
        expect(judged.map(({ got }) => got)).toEqual(judged.map(({ recorded }) => recorded))
      })
    })
  })
}

/** Of a refusal, what clients decide by. */
function withoutWords(answer: unknown): unknown {
  const { status, refused } = answer as { status: number; refused?: { reason?: string } }
  return { status, reason: refused?.reason }
}
