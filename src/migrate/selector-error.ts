import { isStatus, statusOf } from '../cluster/api-error.ts'
import { EXIT, MigError } from '../errors.ts'

/**
 * What a list that was asked for by labels failed with; a bad request is what a person wrote behind `-l`.
 * @returns a usage error for that, else the same
 */
export function selectorError(err: unknown, labelSelector: string | undefined): unknown {
  if (labelSelector === undefined || !isStatus(err, 400)) return err
  const detail = statusOf(err)?.message?.replace(/^unable to parse requirement: /, '')
  return new MigError(
    EXIT.usage,
    `-l "${labelSelector}" is no label selector${detail ? `: ${detail}` : ''}`,
    {
      cause: err,
      hint: 'expected KEY=VALUE, KEY!=VALUE, KEY, or "KEY in (A, B)", with commas between',
    },
  )
}
