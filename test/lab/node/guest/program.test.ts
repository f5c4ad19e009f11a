import { expect, test } from 'vitest'
import { demandQemu } from '../../../../src/lab/node/guest/qemu/program.ts'

test('where QEMU is not installed it is said what to install', async () => {
  await expect(demandQemu({ PATH: '/nonexistent:' })).rejects.toMatchObject({
    exit: 1,
    message: 'there is no qemu-system-x86_64 to run guests with',
    hint: expect.stringContaining('apt-get install --no-install-recommends qemu-system-x86'),
  })
})
