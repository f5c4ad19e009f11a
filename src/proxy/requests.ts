import { isIP } from 'node:net'
import { isAbsolute } from 'node:path'
import { EXIT, MigError } from '../errors.ts'
import { LAUNCHER_BASE_DIR, proxyKey, sourceSocketFile } from '../kubevirt/ports.ts'
import { checkPortMap, isLabel, labelList, labelOfFile, type PortMap } from './port-map.ts'
import type { SourceRoute } from './source-listener.ts'
import type { TargetFile } from './target-listener.ts'
import { checkSocketPath } from './unix-socket.ts'

/**
 * What a target is to listen for, in the order of the labels. A path alone gets the label that is in its name.
 * @throws MigError usage
 */
export function targetFiles(key: string, files: readonly (string | TargetFile)[]): TargetFile[] {
  checkKey(key)
  if (files.length === 0) throw badTarget('no unix socket to listen for')
  const seen = new Map<number, string>()
  const wanted = files.map((file) =>
    typeof file === 'string' ? { file, label: labelOfFile(key, file) } : file,
  )
  for (const { file, label } of wanted) {
    if (!isLabel(label))
      throw badTarget(`unknown label ${label} of ${file}, expected ${labelList()}`)
    const other = seen.get(label)
    if (other !== undefined) throw badTarget(`${other} and ${file} have the same label ${label}`)
    seen.set(label, file)
    checkSocketPath(file)
  }
  return wanted.toSorted((a, b) => a.label - b.label)
}

/**
 * What a source is to listen on and where that leads, in the order of the labels.
 * @throws MigError usage
 */
export function sourceRoutes(
  key: string,
  targetAddress: string,
  portMap: PortMap,
  baseDir: string,
): SourceRoute[] {
  checkKey(key)
  if (isIP(targetAddress) === 0) {
    throw new MigError(EXIT.usage, `the target address "${targetAddress}" is no IP address`, {
      code: 'bad-address',
      hint: 'it is what the VMI publishes as status.migrationState.targetNodeAddress',
    })
  }
  checkPortMap(portMap)
  if (!isAbsolute(baseDir)) {
    throw new MigError(EXIT.usage, `the base folder "${baseDir}" is no absolute path`, {
      code: 'bad-base-dir',
      hint: `KubeVirt's is ${LAUNCHER_BASE_DIR}, seen through the launcher's root`,
    })
  }
  const routes = Object.entries(portMap).map(([port, label]) => ({
    file: sourceSocketFile(baseDir, proxyKey(key, label)),
    label,
    targetAddress,
    targetPort: Number(port),
  }))
  for (const { file } of routes) checkSocketPath(file)
  return routes.toSorted((a, b) => a.label - b.label)
}

/** It becomes part of file names. */
function checkKey(key: string): void {
  if (/^[\w.-]+$/.test(key)) return
  throw new MigError(EXIT.usage, `the key "${key}" can't be part of a file name`, {
    code: 'bad-key-name',
    hint: "KubeVirt takes the VMI's UID",
  })
}

function badTarget(message: string): MigError {
  return new MigError(EXIT.usage, message, { code: 'bad-target' })
}
