/** A value that JSON can represent. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [field: string]: JsonValue };

/**
 * Converts an answer or an event to JSON values: a bigint to a string, bytes to base64, `Infinity` to `"never"`. It leaves
 * out fields that are `undefined`.
 *
 * @example response.end(JSON.stringify(toJsonValue(await pool.usage())));
 */
export function toJsonValue(answer: unknown): JsonValue {
  switch (typeof answer) {
    case 'string':
    case 'boolean':
      return answer;
    case 'number':
      return answer === Number.POSITIVE_INFINITY ? 'never' : answer;
    case 'bigint':
      return String(answer);
    case 'object':
      return answer === null ? null : fromObject(answer);
    case 'undefined':
    case 'function':
    case 'symbol':
      return null;
  }
}

function fromObject(answer: object): JsonValue {
  if (answer instanceof Uint8Array)
    return Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength).toString('base64');
  if (Array.isArray(answer)) return answer.map(toJsonValue);
  const said = Object.entries(answer).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said.map(([field, value]) => [field, toJsonValue(value)]));
}
