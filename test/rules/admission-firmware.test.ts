import { describe, expect, test } from 'vitest'
import { firmwareBlockers } from '../../src/rules/admission-firmware.ts'

const efi = (options: object, more: object = {}) => ({
  domain: { firmware: { bootloader: { efi: options } }, ...more },
})
const SMM =
  'spec.domain has EFI SecureBoot enabled. SecureBoot requires SMM, which is currently disabled.'

describe('the firmware of a VMI', () => {
  test.each<[string, object, string[]]>([
    ['none', { domain: {} }, []],
    ['BIOS', { domain: { firmware: { bootloader: { bios: {} } } } }, []],
    ['EFI, which boots securely by itself', efi({ persistent: true }), [SMM]],
    ['the same with SMM', efi({ persistent: true }, { features: { smm: {} } }), []],
    ['the same with SMM off', efi({}, { features: { smm: { enabled: false } } }), [SMM]],
    ['EFI without secure boot', efi({ persistent: true, secureBoot: false }), []],
    [
      'persistent EFI with SNP',
      efi({ persistent: true, secureBoot: false }, { launchSecurity: { snp: {} } }),
      ['SNP does not work along with Persistent EFI variables'],
    ],
    [
      'persistent EFI with TDX',
      efi({ persistent: true, secureBoot: false }, { launchSecurity: { tdx: {} } }),
      ['TDX does not work along with Persistent EFI variables'],
    ],
    [
      'persistent EFI with SEV, which may be',
      efi({ persistent: true, secureBoot: false }, { launchSecurity: { sev: {} } }),
      [],
    ],
    [
      'all of it at once',
      efi({ persistent: true }, { launchSecurity: { snp: {} } }),
      [
        SMM,
        'SNP does not work along with SecureBoot',
        'SNP does not work along with Persistent EFI variables',
      ],
    ],
  ])('%s', (_, spec, expected) => {
    const blockers = firmwareBlockers(spec, 'spec', 'webhook')
    expect(blockers.map(({ message }) => message)).toEqual(expected)
  })
})
