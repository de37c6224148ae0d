const encoder = new TextEncoder();
// A byte order mark stays, so that other bytes are other text.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A value of plain data as the bytes of a record or a payload. */
export function toBytes(value: object): Uint8Array {
  return encoder.encode(JSON.stringify(value));
}

/** What this package has written itself, such as a record. */
export function fromBytes<T>(bytes: Uint8Array): T {
  return JSON.parse(decoder.decode(bytes)) as T;
}

/** The text of bytes that anybody may have sent; `null` if they are not UTF-8. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** The fields of an object that anybody may have sent; `null` if the text is not the JSON of one. */
export function fieldsOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
