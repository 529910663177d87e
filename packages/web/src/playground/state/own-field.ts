/** A field of a JSON object; every object inherits a `constructor`, which is none. */
export function ownField<Value>(
  record: Readonly<Record<string, Value>>,
  field: string,
): Value | undefined {
  return Object.hasOwn(record, field) ? record[field] : undefined;
}
