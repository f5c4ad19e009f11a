import type { AnyApiServer } from '../../../src/lab/real-api/server.ts'
import { type Client, createClient } from './client.ts'
import { createNormaliser } from './normalise.ts'
import type { Scenario, Step } from './scenario.ts'

const CONTENT_TYPES: Record<string, string> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
}

/** Plays a scenario in a namespace of its own; what came back of each step, made comparable. */
export async function playScenario(server: AnyApiServer, { steps }: Scenario): Promise<unknown[]> {
  const client = createClient(server)
  const namespace = `conformance-${crypto.randomUUID().slice(0, 8)}`
  await demandNamespace(client, namespace)
  const normalise = createNormaliser(namespace)
  const remembered: Record<string, unknown> = {}
  const answers: unknown[] = []
  for (const step of steps) {
    const at = { client, namespace, remembered }
    const { status, warnings, body } = await perform(step, at)
    if (step.name) remembered[step.name] = body
    const { show } = step
    const all = normalise(body, {
      managedFields: show?.includes('metadata.managedFields') ?? false,
    })
    const shown = show ? Object.fromEntries(show.map((path) => [path, pick(all, path)])) : all
    const answer = { status, ...(warnings.length > 0 && { warnings }), body: shown }
    answers.push(plain(refusalOf(answer) ?? answer))
  }
  return answers
}

async function demandNamespace(client: Client, name: string): Promise<void> {
  const { status, text } = await client.send({
    method: 'POST',
    path: '/api/v1/namespaces',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { name } }),
    as: 'admin',
  })
  if (status !== 201) throw new Error(`no namespace: ${text}`)
}

interface Where {
  client: Client
  namespace: string
  remembered: object
}

async function perform(step: Step, { client, namespace, remembered }: Where) {
  const fill = (text: string) =>
    text
      .replaceAll('$KV', '/apis/kubevirt.io/v1/namespaces/$NS')
      .replaceAll('$NS', namespace)
      .replaceAll('$LONG', 'x'.repeat(3 * 1024 * 1024))
      .replace(/\$\{([^}]+)\}/g, (_, path: string) => String(pick(remembered, path)))
  const path = fill(/^\/|^\$KV/.test(step.path) ? step.path : `/api/v1/namespaces/$NS/${step.path}`)
  const { type = step.method === 'PATCH' ? 'merge' : 'application/json', body, events } = step
  const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const request = {
    method: step.method === 'WATCH' ? 'GET' : step.method,
    path: step.method === 'WATCH' ? `${path}${path.includes('?') ? '&' : '?'}watch=true` : path,
    body: sent === undefined ? undefined : fill(sent),
    headers: {
      ...(sent === undefined ? {} : { 'content-type': CONTENT_TYPES[type] ?? type }),
      ...step.headers,
    },
    as: step.as ?? 'admin',
  }
  const answer =
    step.method === 'WATCH' ? await client.lines(request, events ?? 1) : await client.send(request)
  const { status, warnings, text } = answer
  if (!answer.type.startsWith('application/json')) return { status, warnings, body: text }
  const parsed =
    step.method === 'WATCH' && status === 200
      ? text
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line))
      : JSON.parse(text)
  return { status, warnings, body: parsed }
}

/** `metadata.name`, `items.*.metadata.name`; undefined where there is nothing. */
function pick(value: unknown, path: string): unknown {
  const [field, ...rest] = path.split('.')
  if (field === undefined || field === '') return value
  if (field === '*')
    return Array.isArray(value) ? value.map((item) => pick(item, rest.join('.'))) : undefined
  const object = value as Record<string, unknown> | null | undefined
  return rest.length === 0 ? object?.[field] : pick(object?.[field], rest.join('.'))
}

/** Most refusals are the same but for what they say: that alone is kept of them. */
function refusalOf({ status, body, ...rest }: { status: number; body: unknown }) {
  const { kind, apiVersion, metadata, code, ...said } = (body ?? {}) as Record<string, unknown>
  const usual = kind === 'Status' && apiVersion === 'v1' && isEmpty(metadata) && code === status
  if (!usual || said['status'] !== 'Failure') return undefined
  const { status: _, ...refused } = said
  return { status, ...rest, refused }
}

function isEmpty(value: unknown): boolean {
  return JSON.stringify(value) === '{}'
}

/** Without what JSON has no word for. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
