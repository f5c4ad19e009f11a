import type { GuestSpec } from '../guest.ts'
import { PAGE_BYTES } from '../paged-store.ts'

/** boot-sector.asm as nasm 2.16 assembles it; a test compares. */
export const ASSEMBLED = [
  '+vxmMcCO2I7QvAB8DwEWr30PIMGAyQEPIsG7CACO44Dh/g8iwY7gxwYgAId8oyIAsDTmQ7g0EuZAiODmQLD+5iG6+g',
  'OwB+5miz7QfWaJPux96JQAZos+7H1mOz7QfXXx+/T66C0A6FwAoPh9qAN1FWaDPtx9AHQD6J8A9gb4fT91A+jkAOvZ',
  'Lv8G+H1QsCDmIFjPuv0D7KgBdH66+APsPAp0FGaD4A9maw70fQpmAcFmiQ70fevcZjHAZocG9H1mo9h9685modh9Zg',
  'EG8H1mgS7wfQABAAByBegMAOvwZoEG8H0AAQAAw2aLPux9Zv8G5H1moeR9ZGZniQdkZmeJfwRmgccAEAAAZjs+1H1y',
  'BWaLPtB9Zok+7H3DZqHofWb/Buh9ZjHSZvc23H1midC68gFmULAB7mZYsQNC7mbB6Aj+yXX2Qgzg7kKwMO7sqAh0+7',
  'rwAWah6H2xgGbv/sl1+rr3AeyogHX7w2b/BuB9vuB9Zq1micOxCGbBwwSI2CQPPAocaS/oGAD+yXXssCCB/ux9dQKw',
  'CugHAIH+7H110sNQuv0D7KggdPtYuvgD7sMPAK99AAAAAP//AAAAks8AAAAAAAAAAAAAAAAAAAAAAAAAABAAAACAAA',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAVao=',
].join('')

/** Where the parameters are in the sector, and the sector in memory. */
export const BOOT_ADDRESS = 0x7c00
const AT = {
  first: 0x1d0,
  end: 0x1d4,
  rate: 0x1d8,
  sectors: 0x1dc,
  lines: 0x1e0,
  pages: 0x1e4,
  writes: 0x1e8,
  next: 0x1ec,
} as const

export const SECTOR_BYTES = 512
/** Below it is the BIOS's. */
const FIRST = 2 ** 20

/** The sector that a guest is booted from. */
export function bootSector({ memoryBytes, diskBytes, dirtyRate, seed }: GuestSpec): Buffer {
  const sector = Buffer.from(ASSEMBLED, 'base64')
  sector.writeUInt32LE(FIRST, AT.first)
  sector.writeUInt32LE(wholePages(memoryBytes), AT.end)
  sector.writeUInt32LE(pagesOf(dirtyRate), AT.rate)
  sector.writeUInt32LE(Math.floor(diskBytes / SECTOR_BYTES), AT.sectors)
  sector.writeUInt32LE(seed >>> 8, AT.pages)
  return sector
}

/** What is typed on the guest's serial line. @param bytesPerSecond of memory to write from now on */
export function rateOrder(bytesPerSecond: number): string {
  return `${pagesOf(bytesPerSecond)}\n`
}

/** Memory as it is given to a QEMU, a multiple of its pages. */
export function wholePages(bytes: number): number {
  return Math.floor(bytes / PAGE_BYTES) * PAGE_BYTES
}

function pagesOf(bytesPerSecond: number): number {
  return Math.round(bytesPerSecond / PAGE_BYTES)
}

/** How far a guest has come. */
export interface GuestCounts {
  /** Lines that it has said. */
  lines: number
  /** Pages written, from the seed on. */
  pages: number
  /** Sectors written. */
  writes: number
}

/**
 * Looks whether a guest's memory is what it has written, every page in its place and none an older one.
 * @param memory all of it
 * @throws Error that names the first page which is not what it should be
 */
export function checkMemory(memory: Buffer): GuestCounts {
  const parameter = (at: number) => memory.readUInt32LE(BOOT_ADDRESS + at)
  const [first, end] = [parameter(AT.first), parameter(AT.end)]
  const counts = {
    lines: parameter(AT.lines),
    pages: parameter(AT.pages),
    writes: parameter(AT.writes),
  }
  let address = parameter(AT.next)
  for (let number = counts.pages; number > counts.pages - (end - first) / PAGE_BYTES; number--) {
    address = address === first ? end - PAGE_BYTES : address - PAGE_BYTES
    const found = memory.readUInt32LE(address)
    if (found === number >>> 0 && memory.readUInt32LE(address + 4) === address) continue
    throw new Error(
      `the page at ${address.toString(16)} holds ${found} instead of ${number}: it was lost or is an old one`,
    )
  }
  return counts
}
