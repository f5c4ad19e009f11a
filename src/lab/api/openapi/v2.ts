/** The media type by which kubectl up to 1.28 asks for OpenAPI v2, and fails where there is none. */
export const OPENAPI_V2_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

/**
 * A document that says nothing: those clients only insist that there is one, and take what they need from v3. In the
 * protobuf of gnostic's OpenAPIv2: `swagger` is field 1, `info` field 2 with `title` 1 and `version` 2, `paths` field 8.
 */
export function emptyOpenApiV2(): Buffer {
  const info = Buffer.concat([text(1, 'Kubernetes'), text(2, 'v1.36.3')])
  return Buffer.concat([text(1, '2.0'), text(2, info), text(8, '')])
}

function text(field: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([(field << 3) | 2, bytes.length]), bytes])
}
