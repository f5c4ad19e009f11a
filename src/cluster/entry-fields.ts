import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { EXIT, fileTrouble, MigError } from '../errors.ts'
import { type Entry, malformed } from './kubeconfig.ts'

/** A field that must be a string; undefined when absent or empty. */
export function textField(entry: Entry, field: string): string | undefined {
  const value = entry.fields[field]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw malformed(entry.at(field), `"${field}" must be a string`)
  return value
}

export function booleanField(entry: Entry, field: string): boolean {
  const value = entry.fields[field] ?? false
  if (typeof value !== 'boolean')
    throw malformed(entry.at(field), `"${field}" must be true or false`)
  return value
}

export function textListField(entry: Entry, field: string): string[] {
  const value = entry.fields[field] ?? []
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string'))
    throw malformed(entry.at(field), `"${field}" must be a list of strings`)
  return value
}

export function mapField(entry: Entry, field: string): Record<string, unknown> | undefined {
  const value = entry.fields[field]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'object' || Array.isArray(value))
    throw malformed(entry.at(field), `"${field}" must be a map`)
  return value as Record<string, unknown>
}

/** A file name; a relative one counts from the kubeconfig's folder. */
export function fileField(entry: Entry, field: string): string | undefined {
  const value = textField(entry, field)
  return value === undefined || isAbsolute(value) ? value : join(entry.folder, value)
}

export interface Pem {
  text: string
  /** `FILE:LINE` of the kubeconfig, or the file that it names. */
  from: string
}

/** `FIELD-data` (base64) or the file that FIELD names; data wins, as in kubectl. */
export function pemField(entry: Entry, field: string): Pem | undefined {
  const data = textField(entry, `${field}-data`)
  if (data !== undefined) {
    const from = entry.at(`${field}-data`)
    const text = Buffer.from(data, 'base64').toString('latin1')
    if (!text.includes('-----BEGIN '))
      throw malformed(from, `"${field}-data" must be PEM, in base64`)
    return { text, from }
  }
  const file = fileField(entry, field)
  if (file === undefined) return undefined
  try {
    return { text: readFileSync(file, 'utf8'), from: file }
  } catch (err) {
    throw new MigError(
      EXIT.usage,
      `${entry.at(field)}: "${field}": cannot read ${file}: ${fileTrouble(err)}`,
      {
        cause: err,
        code: 'KUBECONFIG',
      },
    )
  }
}
