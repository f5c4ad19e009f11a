import { access, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** What is in the volumes behind claims: files in the lab's own folder, which all nodes get to. */
export interface ClaimFiles {
  has(file: ClaimFile): Promise<boolean>
  write(file: ClaimFile): Promise<void>
}

export interface ClaimFile {
  namespace: string | undefined
  claim: string
  /** Within the volume. */
  path: string
}

export function claimFiles(folder: string): ClaimFiles {
  const where = ({ namespace = '', claim, path }: ClaimFile) =>
    join(folder, 'claims', namespace, claim, path)
  return {
    has: (file) =>
      access(where(file)).then(
        () => true,
        () => false,
      ),
    async write(file) {
      await mkdir(dirname(where(file)), { recursive: true, mode: 0o700 })
      await writeFile(where(file), '')
    },
  }
}
