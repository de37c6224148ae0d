import type { Batch, Endorsement, MessageHead } from '../contract/batch.ts';
import { batchHeadIn, batchIn } from './batch.ts';
import { isDigest, isHex, isValidator, isWhole } from './form.ts';
import { fieldsOf, toBytes } from './json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An endorsement as the message that validators send. */
export function encodeEndorsement({ epoch, validator, root, signature }: Endorsement): Uint8Array {
  return toBytes({ epoch, validator, root, signature });
}

/** The signed fields of a validator's message; `null` if one is malformed. The leaves of a batch are not checked. */
export function readMessageHead(message: Uint8Array): MessageHead | null {
  const fields = fieldsOf(message) ?? {};
  return isBatch(fields) ? batchHeadIn(fields) : endorsementIn(fields);
}

/** A validator's message; `null` if it is malformed. */
export function readValidatorMessage(message: Uint8Array): Batch | Endorsement | null {
  const fields = fieldsOf(message) ?? {};
  return isBatch(fields) ? batchIn(fields) : endorsementIn(fields);
}

/** A batch has leaves, an endorsement has none. */
function isBatch(fields: Fields): boolean {
  return 'leaves' in fields;
}

function endorsementIn({ epoch, validator, root, signature }: Fields): Endorsement | null {
  const isWellFormed = isWhole(epoch) && isValidator(validator) && isDigest(root) && isHex(signature);
  return isWellFormed ? { epoch, validator, root, signature } : null;
}

/** The epoch of a message that this validator has made itself. */
export function epochOfMessage(message: Uint8Array): number {
  return Number(fieldsOf(message)?.epoch);
}
