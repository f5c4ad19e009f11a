import { compare, parseQuantity } from '../../../kubevirt/quantity.ts'
import type { Container, Quantity } from '../../../kubevirt/types.ts'
import { dnsLabelFaults } from '../formats.ts'
import type { FieldError } from '../status.ts'
import { duplicate, invalid, notFound, oneOf, required, uniqueName } from './faults.ts'

type Full = Container & {
  imagePullPolicy?: string
  terminationMessagePolicy?: string
  env?: { name?: string }[]
  ports?: { name?: string; containerPort?: number; protocol?: string }[]
  volumeMounts?: { name?: string; mountPath?: string }[]
}

/** What is wrong with a container. @param volumes names of the pod's @param seen names of containers before it */
export function containerFaults(
  at: string,
  container: Container,
  volumes: ReadonlySet<string>,
  seen: Set<string>,
): FieldError[] {
  const one: Full = container
  const names = uniqueName(`${at}.name`, one.name, dnsLabelFaults, seen)
  const isTaken = names[0]?.reason === 'FieldValueDuplicate'
  return [
    ...(isTaken ? [] : names),
    ...(one.image ? [] : [required(`${at}.image`)]),
    ...oneOf(`${at}.restartPolicy`, one.restartPolicy, ['Always', 'Never', 'OnFailure']),
    ...(isTaken ? names : []),
    ...oneOf(`${at}.terminationMessagePolicy`, one.terminationMessagePolicy, [
      'File',
      'FallbackToLogsOnError',
    ]),
    ...portFaults(`${at}.ports`, one.ports ?? []),
    ...(one.env ?? []).flatMap(({ name }, i) => envFaults(`${at}.env[${i}].name`, name)),
    ...mountFaults(`${at}.volumeMounts`, one.volumeMounts ?? [], volumes),
    ...oneOf(`${at}.imagePullPolicy`, one.imagePullPolicy, ['Always', 'IfNotPresent', 'Never']),
    ...resourceFaults(`${at}.resources`, one.resources ?? {}),
    ...(one.image && one.image.trim() !== one.image
      ? [invalid(`${at}.image`, one.image, 'must not have leading or trailing whitespace')]
      : []),
  ]
}

function portFaults(at: string, ports: NonNullable<Full['ports']>): FieldError[] {
  const names = new Set<string>()
  return ports.flatMap(({ name, containerPort: port, protocol }, i) => {
    const faults = oneOf(`${at}[${i}].protocol`, protocol, ['SCTP', 'TCP', 'UDP'])
    if (!port) faults.unshift(required(`${at}[${i}].containerPort`))
    else if (port < 1 || port > 65535)
      faults.unshift(
        invalid(`${at}[${i}].containerPort`, port, 'must be between 1 and 65535, inclusive'),
      )
    if (name && names.has(name)) faults.unshift(duplicate(`${at}[${i}].name`, name))
    if (name) names.add(name)
    return faults
  })
}

const ENV_FORM =
  "a valid environment variable name must consist only of printable ASCII characters other than '='"

function envFaults(field: string, name: string | undefined): FieldError[] {
  if (!name) return [required(field)]
  return /^[ -<>-~]+$/.test(name) ? [] : [invalid(field, name, ENV_FORM)]
}

function mountFaults(
  at: string,
  mounts: NonNullable<Full['volumeMounts']>,
  volumes: ReadonlySet<string>,
): FieldError[] {
  const paths = new Set<string>()
  return mounts.flatMap(({ name, mountPath }, i) => {
    const faults: FieldError[] = []
    if (!name) faults.push(required(`${at}[${i}].name`))
    else if (!volumes.has(name)) faults.push(notFound(`${at}[${i}].name`, name))
    if (!mountPath) faults.push(required(`${at}[${i}].mountPath`))
    else if (paths.has(mountPath))
      faults.push(invalid(`${at}[${i}].mountPath`, mountPath, 'must be unique'))
    paths.add(mountPath ?? '')
    return faults
  })
}

function resourceFaults(
  at: string,
  { requests = {}, limits = {} }: NonNullable<Container['resources']>,
) {
  const negative = (part: string, table: Record<string, Quantity>) =>
    Object.entries(table)
      .filter(([, value]) => String(value).startsWith('-'))
      .map(([name, value]) =>
        invalid(`${at}.${part}[${name}]`, String(value), 'must be greater than or equal to 0'),
      )
  const tooMuch = Object.entries(requests).flatMap(([name, asked]) => {
    const limit = Object.hasOwn(limits, name) ? limits[name] : undefined
    const [a, b] = [parseQuantity(asked), parseQuantity(limit)]
    if (!a || !b || compare(a, b) <= 0) return []
    const why = `must be less than or equal to ${name} limit of ${limit}`
    return [invalid(`${at}.requests`, String(asked), why)]
  })
  return [...negative('limits', limits), ...tooMuch, ...negative('requests', requests)]
}
