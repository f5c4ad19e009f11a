import { JsonFault, scanJson } from './json-scanner.ts'
import { badRequest } from './status.ts'

/**
 * Reads JSON. @throws StatusError 400 for a member called `__proto__`: it would not be kept as one
 * @throws SyntaxError in the words of Go's encoding/json
 */
export function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new SyntaxError(faultOf(text))
  }
  // Written with escapes, too.
  if (/__proto__|\\u/.test(text)) refusePrototypes(value)
  return value
}

/** Whatever it was read from. @throws StatusError 400 */
export function refusePrototypes(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (Object.hasOwn(value, '__proto__'))
    throw badRequest('this server takes no object with a member "__proto__"')
  for (const member of Object.values(value)) refusePrototypes(member)
}

/** What Go says of a text that is no JSON. */
function faultOf(text: string): string {
  try {
    scanJson(text, {})
    return 'unexpected end of JSON input'
  } catch (err) {
    if (err instanceof JsonFault) return err.message
    throw err
  }
}
