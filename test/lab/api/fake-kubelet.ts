import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { createAuthority } from '../../../src/lab/certificates.ts'
import { containerLog } from '../../../src/lab/node/container-log.ts'
import type { RunCommand } from '../../../src/lab/node/kubelet-exec.ts'
import { serveKubelet } from '../../../src/lab/node/kubelet-server.ts'

/**
 * A kubelet with one pod, p. Its container `compute` has said "first" and "second" and says "later" soon; in it, `cat` gives
 * back what it is sent, `fail` writes to stderr and exits 3, anything else is echoed. `starting` does not run yet.
 * @param ports of the pod, by where they are on this machine
 * @param apiServerCa PEM of who issued the API server's certificate
 */
export async function startFakeKubelet(
  apiServerCa: string,
  ports: Record<number, number> = {},
): Promise<number> {
  const validity = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3600_000 }
  const authority = await createAuthority('kubelet-ca', validity)
  const pair = await authority.issue({
    commonName: 'kubelet',
    usage: ['server'],
    names: ['127.0.0.1'],
    ...validity,
  })
  const containers = {
    compute: {
      log: (previous: boolean) =>
        previous
          ? { refused: 'previous terminated container "compute" in pod "p" not found' }
          : freshLog(),
      run,
    },
    starting: {
      log: () => ({
        refused: 'container "starting" in pod "p" is waiting to start: PodInitializing',
      }),
      run: undefined,
    },
  }
  const kubelet = await serveKubelet({
    address: '127.0.0.1',
    pair,
    ca: apiServerCa,
    clock: systemClock,
    pod: (_, name) =>
      name === 'p'
        ? {
            container: (asked) => containers[asked as keyof typeof containers],
            ports: {
              id: 'sandbox',
              find: (port) =>
                ports[port] === undefined ? undefined : { host: '127.0.0.1', port: ports[port] },
            },
          }
        : undefined,
  })
  onTestFinished(() => kubelet.close())
  return kubelet.port
}

function freshLog() {
  const log = containerLog()
  log.write('first', Date.now() - 60_000)
  log.write('second', Date.now())
  setTimeout(() => {
    log.write('later', Date.now())
    log.end()
  }, 50)
  return log
}

const run: RunCommand = async ([command, ...args], stdin) => {
  if (command === 'cat') return { stdout: await text(stdin), stderr: '', code: 0 }
  if (command === 'fail') return { stdout: '', stderr: 'it failed\n', code: 3 }
  return { stdout: `${args.join(' ')}\n`, stderr: '', code: 0 }
}
