const collator = new Intl.Collator('en', { numeric: true })

/** Names as a person counts: vm-2 before vm-10. */
export function byNumber(a: string, b: string): number {
  return collator.compare(a, b)
}
