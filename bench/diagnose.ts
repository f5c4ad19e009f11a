/**
 * How `diagnose` bears size. `npm run bench:diagnose [-- logs|cluster] [--mib N] [--api embedded|kube-apiserver] [--vmis N]
 * [--rounds N]`: a gigabyte of logs, then a cluster of 10,000 VMs on the embedded API server and, where it has been built,
 * a real one. The last line says whether all is as it should be.
 */
import { parseArgs } from 'node:util'
import { findBinaries } from '../src/lab/real-api/binaries.ts'
import { benchCluster } from './diagnose/cluster.ts'
import { benchLogs } from './diagnose/logs.ts'
import { type Api, serve } from './diagnose/server.ts'

const { values, positionals } = parseArgs({
  options: {
    mib: { type: 'string', default: '1024' },
    api: { type: 'string' },
    vmis: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
  },
  allowPositionals: true,
})
const [part, ...rest] = positionals

if (part === 'serve') await serve(rest[0] as Api, Number(rest[1]), rest[2]!)
else await bench()

async function bench(): Promise<void> {
  const results: boolean[] = []
  if (part !== 'cluster') results.push(await benchLogs(Number(values.mib)))
  if (part !== 'logs') {
    const size = { vmis: Number(values.vmis), rounds: Number(values.rounds) }
    for (const api of await apis()) results.push(await benchCluster(api, size))
  }
  const good = results.every(Boolean)
  console.log(good ? 'all is within its limits' : 'NOT all is within its limits')
  process.exitCode = good ? 0 : 1
}

async function apis(): Promise<Api[]> {
  if (values.api) return [values.api as Api]
  if (await findBinaries(process.env)) return ['embedded', 'kube-apiserver']
  console.log('kube-apiserver is left out: it is not built (test/e2e/build-kube-apiserver.sh)')
  return ['embedded']
}
