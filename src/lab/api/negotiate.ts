import { notAcceptable } from './status.ts'

export interface ResponseFormat {
  mediaType: 'application/json' | 'application/yaml'
  /** `Table`, `PartialObjectMetadata`, `PartialObjectMetadataList`, or undefined for the objects themselves. */
  as: string | undefined
}

const OFFERED = ['application/json', 'application/yaml']
const TRANSFORMS = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']

/** The first clause of the Accept header that can be served; protobuf is passed over. Throws 406 when none can. */
export function negotiate(accept: string | undefined): ResponseFormat {
  for (const clause of (accept || '*/*').split(',')) {
    const [type, ...parameters] = clause.split(';').map((part) => part.trim())
    const mediaType = offered(type!)
    if (!mediaType) continue
    const values = new Map(parameters.map((p) => p.split('=', 2) as [string, string]))
    const as = values.get('as')
    if (as === undefined) return { mediaType, as }
    if (TRANSFORMS.includes(as) && values.get('g') === 'meta.k8s.io' && values.get('v') === 'v1')
      return { mediaType, as }
  }
  throw notAcceptable(OFFERED)
}

function offered(type: string): ResponseFormat['mediaType'] | undefined {
  if (type === '*/*') return 'application/json'
  return OFFERED.includes(type) ? (type as ResponseFormat['mediaType']) : undefined
}
