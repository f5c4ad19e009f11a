import { evictionStrategyOf } from '../../rules/eviction.ts'
import { migratabilityOf } from '../../rules/migratability.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { listing, shell } from '../words.ts'

/** A VM that is marked for evacuation, and no migration exists. */
export const evacuation: Check = {
  name: 'evacuation of the VM',
  when: ({ kind, vmi }) => kind === 'vmi' && !!vmi?.status?.evacuationNodeName,
  needs: ['VirtualMachineInstance'],
  judge(subject, world) {
    const vmi = subject.vmi!
    const strategy = evictionStrategyOf(vmi, world.kubevirt)
    const node = vmi.status?.evacuationNodeName ?? ''
    const ref = `vmi/${subject.namespace}/${subject.name}`
    const evidence = [
      { source: ref, field: 'status.evacuationNodeName', value: node },
      { source: ref, field: 'evictionStrategy', value: strategy },
    ]
    if (strategy === 'External')
      return [
        finding({
          code: 'MIG2009',
          title: `${subject.name} is marked for evacuation from ${node}, but its evictionStrategy is External: KubeVirt creates no migration`,
          objects: [ref],
          evidence,
          cause:
            'With External another controller must move or stop the VM; until it does, the drain of the node waits',
          remedy: [
            { text: 'See the controller that is responsible for this VM' },
            {
              text: 'Or migrate it by hand',
              command: shell`kubectl mig migrate -n ${subject.namespace} ${subject.name}`,
            },
          ],
          endsByItself: 'no',
        }),
      ]
    const live = subject.launchers.filter(
      (pod) => !['Succeeded', 'Failed'].includes(pod.status?.phase ?? ''),
    )
    const migratable = migratabilityOf(vmi)
    const why =
      migratable.migratable === false
        ? `it is not live-migratable (${migratable.reason})`
        : live.length > 1
          ? `it has ${live.length} launcher pods that have not ended (${listing(live.map((pod) => pod.metadata.name))})`
          : undefined
    return [
      finding({
        code: 'MIG2012',
        title: `${subject.name} is marked for evacuation from ${node}, and no migration exists`,
        objects: [ref],
        evidence,
        cause: why
          ? `The evacuation controller skips it: ${why}`
          : 'Nothing that was read makes the evacuation controller skip it: see virt-controller, of which it is a part',
        confidence: migratable.migratable === false || live.length > 1 ? 'certain' : 'possible',
        remedy: [{ text: 'Mend what makes it skip the VM; the drain goes on by itself then' }],
        endsByItself: 'unknown',
      }),
    ]
  },
}

/** A drain that cannot get rid of a VM which may only be migrated, and can't be. */
export const drainHangs: Check = {
  name: 'the drain of the node',
  when: ({ kind, vmi }) =>
    kind === 'vmi' && vmi?.status?.phase === 'Running' && !vmi.status.evacuationNodeName,
  needs: ['VirtualMachineInstance', 'Node'],
  judge(subject, world) {
    const vmi = subject.vmi!
    const node = world.nodes.find(({ metadata }) => metadata.name === vmi.status?.nodeName)
    const migratable = migratabilityOf(vmi)
    if (!node?.spec.unschedulable || migratable.migratable !== false) return []
    if (evictionStrategyOf(vmi, world.kubevirt) !== 'LiveMigrate') return []
    return [
      finding({
        code: 'MIG2010',
        title: `The drain of ${node.metadata.name} hangs on ${subject.name}: evictionStrategy LiveMigrate, but it is not live-migratable (${migratable.reason})`,
        objects: [`vmi/${subject.namespace}/${subject.name}`, `node/${node.metadata.name}`],
        evidence: [
          {
            source: `vmi/${subject.namespace}/${subject.name}`,
            field: 'condition LiveMigratable=False',
            value: migratable.message,
          },
        ],
        cause:
          'Every eviction of its pod is answered 429: configured with an eviction strategy but is not live-migratable',
        remedy: [
          {
            text: 'Mend what forbids the migration, or set evictionStrategy LiveMigrateIfPossible',
          },
          {
            text: 'Shut the VM down',
            command: shell`kubectl -n ${subject.namespace} patch vm ${subject.name} --type merge -p '{"spec":{"runStrategy":"Halted"}}'`,
            risk: 'the guest stops',
          },
        ],
        endsByItself: 'no',
      }),
    ]
  },
}

/** With the default strategy a drain ends the VM instead of moving it. */
export const shutDown: Check = {
  name: 'end of the VM',
  when: ({ kind, vmi }) =>
    kind === 'vmi' && ['Succeeded', 'Failed'].includes(vmi?.status?.phase ?? ''),
  needs: ['VirtualMachineInstance', 'Node'],
  judge(subject, world) {
    const node = world.nodes.find(({ metadata }) => metadata.name === subject.vmi?.status?.nodeName)
    const strategy = evictionStrategyOf(subject.vmi!, world.kubevirt)
    const evicted = subject.events.some(({ reason, message }) =>
      /Evict|Killing|Drain/i.test(`${reason} ${message}`),
    )
    if (
      !node?.spec.unschedulable ||
      !(
        strategy === 'None' ||
        (strategy === 'LiveMigrateIfPossible' && migratabilityOf(subject.vmi!).migratable === false)
      )
    )
      return []
    return [
      finding({
        code: 'MIG2015',
        title: `${subject.name} was shut down on ${node.metadata.name}, which is cordoned: its evictionStrategy is ${strategy}, so a drain ends it instead of moving it`,
        status: 'warn',
        objects: [`vmi/${subject.namespace}/${subject.name}`, `node/${node.metadata.name}`],
        evidence: [
          {
            source: `vmi/${subject.namespace}/${subject.name}`,
            field: 'evictionStrategy',
            value: strategy,
          },
        ],
        cause:
          strategy === 'None'
            ? 'None is the default of KubeVirt'
            : 'It is not live-migratable, and the strategy allows the eviction then',
        confidence: evicted ? 'likely' : 'possible',
        remedy: [
          {
            text: 'Set evictionStrategy LiveMigrate on the VM (or in the KubeVirt CR), and start it again',
          },
        ],
      }),
    ]
  },
}
