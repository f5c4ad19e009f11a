/**
 * Requests at the same time, all answers in order. Where several are refused it is the first in order that is told, not
 * the first in time: the same user gets the same answer, and its hint, every time.
 */
export async function together<T extends readonly unknown[]>(
  requests: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(requests)
  return Promise.all(requests)
}
