/** One field of a protobuf message as it stands on the wire: a number, or bytes (text, a message, a map entry). */
export interface WireField {
  number: number
  value: bigint | Uint8Array
}

/** Throws RangeError when the message is cut short or malformed. */
export function* wireFields(bytes: Uint8Array): Generator<WireField> {
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) break
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asIntN(64, value)
    }
    throw new RangeError('unexpected EOF')
  }
  const take = (length: number): Uint8Array => {
    if (length < 0 || at + length > bytes.length) throw new RangeError('unexpected EOF')
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const number = tag >>> 3
    const wireType = tag & 7
    if (wireType === 0) yield { number, value: varint() }
    else if (wireType === 1) yield { number, value: take(8) }
    else if (wireType === 2) yield { number, value: take(Number(varint())) }
    else if (wireType === 5) yield { number, value: take(4) }
    else throw new RangeError(`illegal wireType ${wireType}`)
  }
}
