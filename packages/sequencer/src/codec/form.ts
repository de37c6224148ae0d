const namePattern = /^[\x21-\x7e]{1,256}$/;
const hexPattern = /^(0x)?([0-9a-f]{2}){1,512}$/i;
const digestPattern = /^[0-9a-f]{64}$/;

/** A project, or a content id: 1–256 printable ASCII characters without spaces. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && namePattern.test(value);
}

/** A validator's name goes into names of records: at most 128 printable ASCII characters without spaces. */
export function isValidator(value: unknown): value is string {
  return isName(value) && value.length <= 128;
}

/** A signature: hex of 1–512 bytes. */
export function isHex(value: unknown): value is string {
  return typeof value === 'string' && hexPattern.test(value);
}

export function isDigest(value: unknown): value is string {
  return typeof value === 'string' && digestPattern.test(value);
}

/** An epoch, or a slot. */
export function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
