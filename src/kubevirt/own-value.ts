/**
 * What a record itself holds under a name that somebody else chose, such as the key of a label: every object has a
 * `constructor`, and no node is labelled so.
 */
export function ownValue<V>(
  record: Readonly<Record<string, V>> | undefined,
  name: string,
): V | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined
}
