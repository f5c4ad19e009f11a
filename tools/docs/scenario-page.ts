import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FAULT_TYPES } from '../../src/lab/faults.ts'
import { allScenarios } from '../../src/lab/scenario/folder.ts'
import type { Scenario } from '../../src/lab/scenario/scenario.ts'

/** docs/scenarios.md, made of the heads of the files in scenarios/: a table of all, and each with its story. */
export function scenarioPage(scenarios: Scenario[]): string {
  const rows = scenarios.map(
    ({ name, title, code }) => `| [${name}](#${name}) | ${title} | ${code ?? 'none'} |`,
  )
  return `${[
    '<!-- Made from the files in scenarios/ by "npm run build"; change it there. -->',
    '# Scenarios of the lab',
    'Each is a lab in which one thing is wrong, as on a real cluster: what an operator sees of it, what finds the cause, what mends it. The same files are the end-to-end tests of `diagnose`.',
    fence([
      'kubectl mig lab up --detach --scenario quota   # the state is reached when it returns',
      'export KUBECONFIG=$(kubectl mig lab status -o json | jq -r .kubeconfig)',
      'kubectl mig diagnose vm-1',
      'kubectl get faults   # what is broken on purpose; "kubectl delete fault NAME" mends it',
      'kubectl mig lab down',
    ]),
    `| scenario | what is wrong | code |\n| --- | --- | --- |\n${rows.join('\n')}`,
    ...scenarios.flatMap(section),
    OWN,
  ].join('\n\n')}\n`
}

/** Writes it when it has changed. */
export async function renewScenarioPage(root: string): Promise<void> {
  const file = join(root, 'docs/scenarios.md')
  const text = scenarioPage(await allScenarios())
  const before = await readFile(file, 'utf8').catch(() => undefined)
  if (text !== before) await writeFile(file, text)
}

function section({ name, title, story, code, diagnose, mend, proof }: Scenario): string[] {
  const steps = [
    `kubectl mig lab up --detach --scenario ${name}`,
    `${diagnose}${code === undefined ? '' : `   # ${code}, exit 3`}`,
    ...(mend.length > 0 ? [...mend, `${proof}   # mended`] : [proof]),
  ]
  const told = story.split('\n\n').map((paragraph) => paragraph.replaceAll('\n', ' '))
  return [`## ${name}`, `**${title}.**`, ...told, fence(steps)]
}

const OWN = `## One of your own

\`kubectl mig lab up --scenario ./mine.yaml\` takes any file like those in [scenarios/](../scenarios): a document of kind \`Scenario\` says what the lab starts with (\`lab\`), by which command the cause is found (\`diagnose\`), what mends it (\`mend\`), what then goes well (\`proof\`) and when the state is reached (\`until\`). The documents after it are objects, which are applied in their order. The annotation \`lab.kubectl-mig.io/when\` lets one wait: \`vmim/move Running\`, \`event FailedCreate\`.

What no object of Kubernetes can break, an object of kind \`Fault\` does, from its creation to its deletion:

${fence([
  'kubectl create -f - <<EOF',
  'apiVersion: lab.kubectl-mig.io/v1alpha1',
  'kind: Fault',
  'metadata: { name: slow }',
  'spec: { type: LinkSlow, node: node-2, rate: 1Mi }',
  'EOF',
])}

${faultTable()}`

function faultTable(): string {
  const rows = Object.entries(FAULT_TYPES).map(([type, what]) => `| \`${type}\` | ${what} |`)
  return `| type | what is broken |\n| --- | --- |\n${rows.join('\n')}`
}

function fence(lines: string[]): string {
  return `\`\`\`sh\n${lines.join('\n')}\n\`\`\``
}
