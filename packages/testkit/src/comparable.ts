/** Fields that differ in two pools that got the same calls: what names the pool, and the times of its clock. */
const ownFields: ReadonlySet<string> = new Set(['epoch', 'at', 'lastAt', 'receivedAt', 'sentAt']);
const cursor = /^([elgs][0-9a-z]+)\.[\w-]{16,36}$/;

/** Returns a copy of an answer, without the fields that differ between two pools with the same calls. */
export function comparable(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(cursor, '$1');
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  const fields = Object.entries(value).filter(([name]) => !ownFields.has(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, comparable(field)]));
}
