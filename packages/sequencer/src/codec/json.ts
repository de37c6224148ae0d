const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A value of plain data as the bytes of a record or a payload. */
export function toBytes(value: object): Uint8Array {
  return encoder.encode(JSON.stringify(value));
}

/** JSON that this package wrote itself, such as a record. */
export function fromBytes<T>(bytes: Uint8Array): T {
  return JSON.parse(decoder.decode(bytes)) as T;
}

/** The fields of a message; `null` if the bytes are not the JSON of an object in UTF-8. */
export function fieldsOf(bytes: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
