import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { EXIT, MigError } from '../../../../errors.ts'
import { QEMU } from './process.ts'

/** What a guest can have of it: room for the BIOS, and all of it below the addresses of devices. */
export const QEMU_MEMORY = { least: '4Mi', most: '3Gi' }

/** For who can't do without. @throws MigError that says what to install */
export async function demandQemu(env: NodeJS.ProcessEnv): Promise<void> {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const isThere = await access(join(folder, QEMU), constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return
  }
  throw new MigError(EXIT.error, `there is no ${QEMU} to run guests with`, {
    hint: 'install it: "apt-get install --no-install-recommends qemu-system-x86" on Debian and Ubuntu, "dnf install qemu-system-x86-core" on Fedora',
  })
}
