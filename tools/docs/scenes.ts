/** A picture of the README: real commands on a lab of their own. */
export interface Scene {
  name: string
  title: string
  /** `kubectl mig lab up` with these words. */
  lab: string[]
  columns: number
  /** Run before, unseen. */
  before?: string
  /** Typed and run, as seen. */
  lines: string[]
  /** Exit codes that the last line may end with. */
  codes?: number[]
  /** Ctrl-C is pressed when this holds for the text on the screen. */
  interruptWhen?: (text: string) => boolean
  /** Only the end is shown, without what led there. */
  still?: boolean
}

/** So that there is something to see on any machine. */
const CAPPED = (bandwidth: string) =>
  `kubectl patch kubevirt kubevirt -n kubevirt --type merge -p '{"spec":{"configuration":{"migrations":{"bandwidthPerMigration":"${bandwidth}"}}}}'`

export const SCENES: Scene[] = [
  {
    name: 'migrate',
    title:
      'kubectl mig migrate: the phases of a migration are ticked off, then a bar shows the copy, then the result',
    lab: ['--memory', '192Mi', '--dirty-rate', '6Mi'],
    columns: 92,
    before: CAPPED('48Mi'),
    lines: ['kubectl mig migrate vm-1'],
  },
  {
    name: 'status-watch',
    title:
      'kubectl mig status -w: a live table of six migrations, one of which waits for a free slot',
    lab: ['--vms', '6', '--memory', '64Mi', '--dirty-rate', '2Mi'],
    columns: 118,
    before: `${CAPPED('32Mi')} && kubectl mig migrate vm-1 vm-2 vm-3 vm-4 vm-5 vm-6 --no-wait`,
    lines: ['kubectl mig status -w'],
    interruptWhen: (text) => (text.match(/Succeeded/g) ?? []).length === 6,
    codes: [0, 130],
  },
  {
    name: 'queue',
    title:
      'kubectl mig queue -w: the limits, who holds them, and how each migration that waits gets its slot',
    lab: ['--vms', '9', '--memory', '64Mi', '--dirty-rate', '2Mi'],
    columns: 100,
    before: `${CAPPED('24Mi')} && kubectl mig migrate $(seq -f vm-%g 9) --no-wait`,
    lines: ['kubectl mig queue -w'],
    // While there is still something to see.
    interruptWhen: (text) => {
      const waiting = text.match(/ Pending /g) ?? []
      return text.includes(' has one') && waiting.length < 3
    },
    codes: [0, 130],
  },
  {
    name: 'diagnose',
    title:
      'kubectl mig diagnose: the verdict first, then five questions, then what was seen and what to do',
    lab: [],
    columns: 110,
    before: 'kubectl cordon node-1 node-2 node-3 && kubectl mig migrate vm-1 --no-wait && sleep 2',
    lines: ['kubectl get vmim,vmi,pods,events,nodes -A -o yaml | kubectl mig diagnose --from -'],
    codes: [3],
    still: true,
  },
]
