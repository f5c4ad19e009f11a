import { lstat, readdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'

/**
 * The regular files of a folder and all below it, in order of their names. Symbolic links are followed only to files
 * inside the folder; `onSkip` hears of the others, and of what cannot be read.
 */
export async function* filesOf(
  root: string,
  onSkip: (path: string, why: string) => void,
): AsyncGenerator<string> {
  const inside = `${await realpath(root)}${sep}`
  async function* walk(folder: string): AsyncGenerator<string> {
    let names: string[]
    try {
      names = (await readdir(folder)).sort()
    } catch (err) {
      onSkip(folder, (err as Error).message)
      return
    }
    for (const name of names) {
      const path = join(folder, name)
      const info = await lstat(path).catch(() => undefined)
      if (info?.isDirectory()) yield* walk(path)
      else if (info?.isFile()) yield path
      else if (info?.isSymbolicLink()) {
        const target = await realpath(path).catch(() => undefined)
        if (target?.startsWith(inside) && (await lstat(target)).isFile()) yield path
        else onSkip(path, 'a symbolic link that leads out of the folder, to a folder or to nothing')
      }
    }
  }
  yield* walk(root)
}
