import type { Arrival, ChannelFiles, CopySettings } from '../guest.ts'
import { configure } from './capabilities.ts'
import { DISK_NODE, type QemuProcess } from './process.ts'

/** What the local disk is called at the target's NBD server. */
export const DISK_EXPORT = 'disk'

/** The target's side of a copy: QEMU listens at the files when this resolves. */
export async function receiveQemu(
  { qmp, ended }: QemuProcess,
  files: ChannelFiles,
  settings: CopySettings,
): Promise<Arrival> {
  const runnable = Promise.withResolvers<void>()
  const complete = Promise.withResolvers<void>()
  for (const { promise } of [runnable, complete]) promise.catch(() => {})
  qmp.on(({ event, data }) => {
    if (event === 'RESUME') runnable.resolve()
    if (event !== 'MIGRATION') return
    const status = data['status']
    if (status === 'completed') complete.resolve()
    // What it lacks it fetches; it was started so that it waits to be told.
    if (status === 'postcopy-active') qmp.execute('cont').catch(() => {})
    if (status === 'failed' || status === 'postcopy-paused')
      complete.reject(new Error(`the migration to here is ${status}`))
  })
  ended.catch(complete.reject)
  complete.promise.then(runnable.resolve, runnable.reject)

  await configure(qmp, 'target', settings, files.disk !== undefined)
  if (files.disk !== undefined) {
    await qmp.execute('nbd-server-start', {
      addr: { type: 'unix', data: { path: files.disk } },
    })
    await qmp.execute('block-export-add', {
      type: 'nbd',
      id: DISK_EXPORT,
      'node-name': DISK_NODE,
      name: DISK_EXPORT,
      writable: true,
    })
  }
  await qmp.execute('migrate-incoming', { uri: `unix:${files.memory}` })
  return { complete: complete.promise, runnable: runnable.promise }
}
