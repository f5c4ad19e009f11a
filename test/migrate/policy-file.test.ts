import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { EXIT } from '../../src/errors.ts'
import { parsePolicies, readPolicyFile } from '../../src/migrate/policy-file.ts'

const HEAD = `apiVersion: migrations.kubevirt.io/v1alpha1
kind: MigrationPolicy
metadata:
  name: gold
spec:
  selectors:
    virtualMachineInstanceSelector: {tier: gold}
`
const parse = (text: string, release = { major: 1, minor: 9 }) =>
  parsePolicies(text, 'p.yaml', release)

test('policies of a file are read, several too', async () => {
  const other = HEAD.replace('gold\n', 'all\n').replace('{tier: gold}', '{}')
  const policies = await parse(`${HEAD}  bandwidthPerMigration: 64Mi\n---\n${other}`)
  expect(policies.map(({ metadata }) => metadata.name)).toEqual(['gold', 'all'])
  expect(policies[0]?.spec.bandwidthPerMigration).toBe('64Mi')
})

test('experiments are looked into, field by field', async () => {
  const text = `${HEAD}  experimental:\n    compression: zstd\n    stallDetector: {stallMargin: "4"}\n`
  await expect(parse(text)).resolves.toHaveLength(1)
})

describe('what is no policy is refused with file and line', () => {
  test.each([
    [
      'an unknown field',
      `${HEAD}  alowPostCopy: true\n`,
      8,
      'spec.alowPostCopy is an unknown field',
    ],
    [
      'an unknown field below',
      `${HEAD}  experimental:\n    stallDetector:\n      margin: 4\n`,
      10,
      'spec.experimental.stallDetector.margin is an unknown field',
    ],
    [
      'no flag',
      `${HEAD}  allowPostCopy: "yes"\n`,
      8,
      'spec.allowPostCopy is neither true nor false',
    ],
    [
      'no quantity',
      `${HEAD}  bandwidthPerMigration: fast\n`,
      8,
      'spec.bandwidthPerMigration is no',
    ],
    ['no number', `${HEAD}  completionTimeoutPerGiB: -1\n`, 8, 'is no whole number from 0'],
    [
      'no labels',
      HEAD.replace('{tier: gold}', '{tier: 1}'),
      7,
      'spec.selectors.virtualMachineInstanceSelector is no map of texts',
    ],
    [
      'no selectors',
      HEAD.replace(/ {2}selectors:\n.*\n/, '  allowPostCopy: true\n'),
      5,
      'spec has no',
    ],
    ['another kind', HEAD.replace('MigrationPolicy', 'Pod'), 2, 'kind is "Pod"'],
    ['another group', HEAD.replace('migrations.kubevirt.io', 'x.io'), 1, 'apiVersion is "x.io/'],
    ['no name', HEAD.replace('name: gold', 'labels: {}'), 3, 'metadata has no name'],
    ['a list', '- a\n', 1, 'it is no object'],
    ['nothing', '', 1, 'it is empty'],
    ['only comments', '# nothing yet\n', 1, 'it is empty'],
    ['no YAML', `${HEAD}  : [\n`, 9, 'it is no YAML'],
    ['the same name twice', `${HEAD}---\n${HEAD}`, 3, '"gold" is there twice'],
  ])('%s', async (_, text, line, message) => {
    const err = await parse(text).then(
      () => expect.fail('it was taken'),
      (refusal) => refusal,
    )
    expect(err.exit).toBe(EXIT.usage)
    expect(err.message).toMatch(new RegExp(`^p.yaml:${line}: `))
    expect(err.message).toContain(message)
    expect(err.message).not.toContain('\n')
  })

  test('a field that the release does not have', async () => {
    const text = `${HEAD}  maxDowntimeMs: 500\n`
    await expect(parse(text, { major: 1, minor: 3 })).rejects.toMatchObject({
      exit: EXIT.usage,
      message: 'p.yaml:8: spec.maxDowntimeMs needs KubeVirt 1.9, and this cluster runs 1.3',
    })
    await expect(parsePolicies(text, 'p.yaml', undefined)).resolves.toHaveLength(1)
  })

  test('a file that is not there, or is a folder', async () => {
    const none = Readable.from([])
    const missing = readPolicyFile('/nonexistent/p.yaml', undefined, none)
    await expect(missing).rejects.toMatchObject({
      exit: EXIT.usage,
      message: '--what-if: /nonexistent/p.yaml: no such file',
    })
    await expect(readPolicyFile('/', undefined, none)).rejects.toMatchObject({ exit: EXIT.usage })
  })

  test('- is stdin, in whatever pieces it comes, and a fault in it is told by its line', async () => {
    const pieces = Buffer.from(`# für alle\n${HEAD}`)
    const stdin = Readable.from([pieces.subarray(0, 4), pieces.subarray(4)])
    const [policy] = await readPolicyFile('-', undefined, stdin)
    expect(policy?.metadata.name).toBe('gold')
    const faulty = readPolicyFile('-', undefined, Readable.from(['a: 1']))
    await expect(faulty).rejects.toMatchObject({
      exit: EXIT.usage,
      message: expect.stringMatching(/^stdin:1: /),
    })
  })
})
