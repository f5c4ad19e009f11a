/**
 * Asks a real kube-apiserver all questions of the scenarios here and writes down what it answers, in place:
 * `node test/e2e/conformance/record.ts [TOPIC…]`. Needs the binaries that test/e2e/build-kube-apiserver.sh builds.
 */
import { writeFileSync } from 'node:fs'
import { isCollection, isPair } from 'yaml'
import { systemClock } from '../../../src/clock.ts'
import { wellKnownUsers } from '../../../src/lab/api/users.ts'
import { findBinaries } from '../../../src/lab/real-api/binaries.ts'
import { startRealApiServer } from '../../../src/lab/real-api/server.ts'
import { playScenario } from './play.ts'
import { loadScenarios } from './scenario.ts'

const binaries = await findBinaries(process.env)
if (!binaries) throw new Error('no kube-apiserver and etcd: run test/e2e/build-kube-apiserver.sh')
const topics = process.argv.slice(2)
const users = wellKnownUsers(['node-1', 'node-2'])
const server = await startRealApiServer({ binaries, clock: systemClock, users })
try {
  for (const { file, topic, document, scenarios } of loadScenarios()) {
    if (topics.length > 0 && !topics.includes(topic)) continue
    for (const [number, scenario] of scenarios.entries()) {
      const answers = await playScenario(server, scenario)
      for (const [step, answer] of answers.entries())
        document.setIn([number, 'steps', step, 'answer'], compact(document.createNode(answer)))
    }
    writeFileSync(file, document.toString({ lineWidth: 120, flowCollectionPadding: false }))
    process.stdout.write(`${topic}: ${scenarios.length} scenarios\n`)
  }
} finally {
  await server.close()
}

/** Whatever fits goes on one line. */
function compact(node: unknown): unknown {
  if (!isCollection(node)) return node
  if (JSON.stringify(node).length < 90) node.flow = true
  else for (const item of node.items) compact(isPair(item) ? item.value : item)
  return node
}
