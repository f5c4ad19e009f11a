import type { Release } from '../../kubevirt/defaults.ts'

/** The lab renders pods as the recorded controllers did: main after 1.9 (the launcher's qemu overhead is 50Mi there). */
export const LAB_RELEASE: Release = { major: 1, minor: 10 }
