/**
 * The migration proxy's labels and names: three numbers that look like ports and are only labels
 * (fact sheet data-plane.md §1.1). The TCP ports on the wire are random.
 */
export const LABEL_CONTROL = 0
export const LABEL_MEMORY = 49152
export const LABEL_DISK = 49153

export type ChannelLabel = typeof LABEL_CONTROL | typeof LABEL_MEMORY | typeof LABEL_DISK

export const CHANNEL_PURPOSE: Record<ChannelLabel, string> = {
  [LABEL_CONTROL]: 'control (libvirt)',
  [LABEL_MEMORY]: 'memory and device state',
  [LABEL_DISK]: 'disks (NBD)',
}

/** The labels of the data channels; the control channel is always there beside them. */
export function migrationPorts(isBlockMigration: boolean): ChannelLabel[] {
  return isBlockMigration ? [LABEL_MEMORY, LABEL_DISK] : [LABEL_MEMORY]
}

/** `id` for the control channel, `id-label` for the others. */
export function proxyKey(id: string, label: number): string {
  return label === LABEL_CONTROL ? id : `${id}-${label}`
}

/** `<baseDir>/migrationproxy/<key>-source.sock`; the same name in the source's and the target's launcher. */
export function sourceSocketFile(baseDir: string, key: string): string {
  return `${baseDir}/migrationproxy/${key}-source.sock`
}

/** Where the sockets are inside a launcher. */
export const LAUNCHER_BASE_DIR = '/var/run/kubevirt'
