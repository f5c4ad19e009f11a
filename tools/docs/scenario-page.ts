import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FAULT_TYPES } from '../../src/lab/faults.ts'
import { allScenarios } from '../../src/lab/scenario/folder.ts'
import type { Scenario } from '../../src/lab/scenario/scenario.ts'

const TABLE = /(<!-- scenarios -->\n)[\s\S]*?(<!-- \/scenarios -->)/

/** The same table in the README, between its marks. */
export function readmeWithScenarios(readme: string, scenarios: Scenario[]): string {
  const table = scenarioTable(scenarios, 'docs/scenarios.md')
  return readme.replace(TABLE, (_, begin, end) => `${begin}\n${table}\n\n${end}`)
}

/** docs/scenarios.md, made of the heads of the files in scenarios/: a table of all, and each with its story. */
export function scenarioPage(scenarios: Scenario[]): string {
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
    scenarioTable(scenarios),
    ...scenarios.flatMap(section),
    OWN,
  ].join('\n\n')}\n`
}

/** Writes both when they have changed. */
export async function renewScenarioPage(root: string): Promise<void> {
  const scenarios = await allScenarios()
  const renew = async (name: string, text: (before: string) => string) => {
    const file = join(root, name)
    const before = await readFile(file, 'utf8').catch(() => '')
    if (text(before) !== before) await writeFile(file, text(before))
  }
  await renew('docs/scenarios.md', () => scenarioPage(scenarios))
  await renew('README.md', (readme) => readmeWithScenarios(readme, scenarios))
}

function scenarioTable(scenarios: Scenario[], page = ''): string {
  const rows = scenarios.map(
    ({ name, title, code }) => `| [${name}](${page}#${name}) | ${title} | ${code ?? 'none'} |`,
  )
  return `| scenario | what is wrong | code |\n| --- | --- | --- |\n${rows.join('\n')}`
}

function section({ name, title, story, code, diagnose, mend, proof }: Scenario): string[] {
  const steps = [
    `kubectl mig lab up --detach --scenario ${name}`,
    ...diagnose.map((line) => `${line}${code === undefined ? '' : `   # ${code}, exit 3`}`),
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
