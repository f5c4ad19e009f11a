type Json = Record<string, unknown>

/** What Kubernetes fills in within the parts of a pod: volumes, probes, references to its own fields. */
export function partDefaults(spec: Json, containers: readonly Json[]): void {
  for (const volume of listOf(spec['volumes'])) volumeDefaults(volume)
  for (const container of containers) {
    for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe'])
      if (isJson(container[name])) probeDefaults(container[name])
    for (const { valueFrom } of listOf(container['env']))
      if (isJson(valueFrom)) fieldDefaults(valueFrom)
    for (const port of listOf(container['ports'])) {
      port['protocol'] ??= 'TCP'
      if (spec['hostNetwork'] === true) port['hostPort'] ??= port['containerPort']
    }
  }
}

/** 0644, as JSON has no octal numbers. */
const FILE_MODE = 420

function volumeDefaults(volume: Json): void {
  for (const source of ['configMap', 'secret', 'projected', 'downwardAPI'])
    if (isJson(volume[source])) volume[source]['defaultMode'] ??= FILE_MODE
  if (isJson(volume['hostPath'])) volume['hostPath']['type'] ??= ''
  if (isJson(volume['downwardAPI'])) listOf(volume['downwardAPI']['items']).forEach(fieldDefaults)
}

function fieldDefaults(from: Json): void {
  if (isJson(from['fieldRef'])) from['fieldRef']['apiVersion'] ??= 'v1'
}

function probeDefaults(probe: Json): void {
  probe['timeoutSeconds'] ??= 1
  probe['periodSeconds'] ??= 10
  probe['successThreshold'] ??= 1
  probe['failureThreshold'] ??= 3
  if (!isJson(probe['httpGet'])) return
  probe['httpGet']['path'] ??= '/'
  probe['httpGet']['scheme'] ??= 'HTTP'
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isJson) : []
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
