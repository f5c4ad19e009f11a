import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { create } from '../../src/cluster/objects.ts'
import { EXIT } from '../../src/errors.ts'
import { MIGRATION_POLICIES } from '../../src/kubevirt/resources.ts'
import type { MigrationPolicy } from '../../src/kubevirt/types.ts'
import { explainPolicy, explanationOf, type PolicyFacts } from '../../src/migrate/explain-policy.ts'
import { policyLines } from '../../src/terminal/policy-view.ts'
import { pipe, screen } from '../terminal/screen.ts'
import { ms } from './objects.ts'
import { startStage } from './stage.ts'

type Selector = Record<string, string>

function policy(
  name: string,
  vm: Selector | undefined,
  namespace: Selector = {},
  spec: Partial<MigrationPolicy['spec']> = {},
): MigrationPolicy {
  const selectors = vm && {
    virtualMachineInstanceSelector: vm,
    namespaceSelector: namespace,
  }
  return { metadata: { name }, spec: { selectors: selectors ?? null, ...spec } }
}

const FACTS: PolicyFacts = {
  namespace: 'demo',
  vm: 'vm-1',
  labels: { tier: 'gold', team: 'a' },
  namespaceLabels: { stage: 'prod' },
  kubevirt: {
    metadata: { name: 'kubevirt' },
    spec: { configuration: { migrations: { progressTimeout: 300 } } },
    status: { observedKubeVirtVersion: 'v1.3.1' },
  },
  policies: [
    policy('all', {}),
    policy('silver', { tier: 'silver' }),
    policy('gold', { tier: 'gold' }, { stage: 'prod' }, { bandwidthPerMigration: '64Mi' }),
    policy('prod', {}, { stage: 'prod' }),
    policy('gold-2', { tier: 'gold' }, { stage: 'prod' }),
    policy('region', {}, { region: 'eu' }),
    policy('none', undefined),
  ],
}

describe('which policy holds', () => {
  const explanation = explanationOf(FACTS, undefined, ms(0))

  test('each says why it matches, is outdone, or does not match', () => {
    expect(
      explanation.policies.map(({ name, result, score, why }) => [name, result, score?.total, why]),
    ).toEqual([
      ['gold', 'holds', 2, 'tier=gold of the VM, stage=prod of the namespace'],
      [
        'gold-2',
        'matches',
        2,
        'tier=gold of the VM, stage=prod of the namespace; but "gold" comes first by name',
      ],
      ['prod', 'matches', 1, 'stage=prod of the namespace; but "gold" matches more labels'],
      ['all', 'matches', 0, 'its selectors are empty: it fits all; but "gold" matches more labels'],
      ['none', 'no-match', undefined, 'it has no selectors, so it never matches'],
      ['region', 'no-match', undefined, 'the namespace has no label region (wanted: eu)'],
      ['silver', 'no-match', undefined, 'tier of the VM is gold, not silver'],
    ])
  })

  test("each setting says who says so, and defaults are those of the cluster's release", () => {
    const sources = Object.fromEntries(
      explanation.settings.map(({ name, value, from, source }) => [name, [value, from, source]]),
    )
    expect(sources).toMatchObject({
      bandwidthPerMigration: ['64Mi', 'policy', 'gold'],
      progressTimeout: [300, 'kubevirt', 'kubevirt'],
      completionTimeoutPerGiB: [800, 'default', '1.3'],
    })
    expect(sources).not.toHaveProperty('maxDowntimeMs')
  })

  test('with a file, what would change stands beside what is', () => {
    const planned = policy('gold', { tier: 'gold' }, {}, { allowPostCopy: true })
    const what = explanationOf(FACTS, [planned], ms(0))
    expect(what).toMatchObject({ policy: 'gold-2', whatIf: ['gold'] })
    const changed = what.settings.filter(({ instead }) => instead !== null)
    expect(changed.map(({ name, value, instead }) => [name, value, instead?.value])).toEqual([
      ['bandwidthPerMigration', '0', '64Mi'],
    ])
  })

  test('the document is what its schema says', () => {
    const schema = JSON.parse(
      readFileSync(new URL('../../schema/policy-explanation.json', import.meta.url), 'utf8'),
    )
    const ajv = new Ajv({ formats: { 'date-time': true }, allowUnionTypes: true })
    const validate = ajv.compile(schema)
    for (const planned of [undefined, [policy('gold', {})]]) {
      validate(JSON.parse(JSON.stringify(explanationOf(FACTS, planned, ms(0)))))
      expect(validate.errors).toBeNull()
    }
  })
})

const text = (lines: string[]) => `\n${lines.join('\n')}\n`

describe('for a person', () => {
  const facts = { ...FACTS, policies: FACTS.policies.slice(1, 3) }

  test('through a pipe, with a file', () => {
    const planned = [
      policy('fast', { tier: 'gold', team: 'a' }, { stage: 'prod' }, { allowPostCopy: true }),
    ]
    const lines = policyLines(explanationOf(facts, planned, ms(0)), pipe().terminal)
    expect(text(lines)).toBe(`
vm-1 in demo: policy "fast" would hold

SETTING                             VALUE               NOW                 FROM
parallelMigrationsPerCluster        5                   5                   default of 1.3
parallelOutboundMigrationsPerNode   2                   2                   default of 1.3
bandwidthPerMigration               0                   64Mi                default of 1.3
completionTimeoutPerGiB             800                 800                 default of 1.3
progressTimeout                     300                 300                 KubeVirt CR kubevirt
allowAutoConverge                   false               false               default of 1.3
allowPostCopy                       true                false               policy fast (tier=gold of the VM, team=a of the VM, stage=prod of the namespace)
unsafeMigrationOverride             false               false               default of 1.3
nodeDrainTaintKey                   kubevirt.io/drain   kubevirt.io/drain   default of 1.3

POLICY        RESULT     SCORE   WHY
fast (file)   holds      3       tier=gold of the VM, team=a of the VM, stage=prod of the namespace
gold          matches    2       tier=gold of the VM, stage=prod of the namespace; but "fast" matches more labels
silver        no match   -       tier of the VM is gold, not silver
`)
  })

  test('at 80 columns reasons are whole', () => {
    const { terminal } = screen(80, 24, { env: { NO_COLOR: '1' } })
    const lines = policyLines(explanationOf(facts, undefined, ms(0)), terminal)
    expect(text(lines)).toBe(`
vm-1 in demo: policy "gold" holds

SETTING                             VALUE               FROM
parallelMigrationsPerCluster        5                   default of 1.3
parallelOutboundMigrationsPerNode   2                   default of 1.3
bandwidthPerMigration               64Mi                policy gold (tier=gold
                                                        of the VM, stage=prod of
                                                        the namespace)
completionTimeoutPerGiB             800                 default of 1.3
progressTimeout                     300                 KubeVirt CR kubevirt
allowAutoConverge                   false               default of 1.3
allowPostCopy                       false               default of 1.3
unsafeMigrationOverride             false               default of 1.3
nodeDrainTaintKey                   kubevirt.io/drain   default of 1.3

POLICY   RESULT     SCORE   WHY
gold     holds      2       tier=gold of the VM, stage=prod of the namespace
silver   no match   -       tier of the VM is gold, not silver
`)
  })
})

test('on a cluster, policies, labels and settings are read; an unknown VM is refused', async () => {
  const stage = await startStage()
  await stage.addVm('vm-1', { labels: { tier: 'gold' } })
  const { metadata, spec } = policy('gold', { tier: 'gold' })
  await create(stage.admin, MIGRATION_POLICIES, {
    apiVersion: 'migrations.kubevirt.io/v1alpha1',
    kind: 'MigrationPolicy',
    metadata,
    spec,
  })
  const options = { namespace: 'demo', whatIf: undefined, stdin: Readable.from([]), now: ms(0) }
  const explain = (name: string) =>
    explainPolicy(stage.admin, { kind: 'vm', name, text: name }, options)
  expect(await explain('vm-1')).toMatchObject({ policy: 'gold' })
  await expect(explain('vm-2')).rejects.toMatchObject({ exit: EXIT.notFound })
})
