import { type Problem, wrongRequest } from 'mempool-server/edge';

/** The most transactions in one request. */
export const maxRefs = 1_000;
const refBytes = 32;

/** Returns the hashes that references name. @throws `Problem` 400 */
export function hashesOf(refs: readonly Uint8Array[]): ReadonlySet<string> {
  if (refs.length > maxRefs) throw tooMany('ref');
  const wrong = refs.findIndex((ref) => ref.length !== refBytes);
  if (wrong !== -1) throw wrongRequest('ref', `ref ${wrong} must be ${refBytes} bytes long.`);
  return new Set(refs.map((ref) => Buffer.from(ref).toString('hex')));
}

/** Returns a hash in the form of UTxO RPC. */
export function refOf(hash: string): Uint8Array<ArrayBuffer> {
  return Buffer.from(hash, 'hex');
}

/** Returns the refusal of a request that names more than `maxRefs` transactions. */
export function tooMany(field: string): Problem {
  return wrongRequest(field, `At most ${maxRefs} transactions may be in one request.`);
}
