/** A hash as it is stored: half as long as its text. */
export function hashBytes(hash: string): Buffer {
  return Buffer.from(hash, 'hex');
}
