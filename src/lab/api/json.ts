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
  const sign = tooDeep(value)
  if (sign) throw new SyntaxError(depthFault(sign))
  // Written with escapes, too.
  if (/__proto__|\\u/.test(text)) refusePrototypes(value)
  return value
}

/** Levels of lists and objects in one another. Kubernetes takes 10000; what is done with an object here is recursive. */
const MAX_DEPTH = 1000

/** What opens the first level that is too deep, level by level: no recursion stands any depth. */
export function tooDeep(value: unknown): '[' | '{' | undefined {
  let level = [value].filter(isContainer)
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return Array.isArray(level[0]) ? '[' : '{'
    level = level.flatMap((outer) => Object.values(outer).filter(isContainer))
  }
  return undefined
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function depthFault(sign: string): string {
  return `invalid character '${sign}' exceeded max depth`
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
    // The stack is at its end.
    if (err instanceof RangeError) return depthFault(text.trimStart()[0] ?? '')
    throw err
  }
}
