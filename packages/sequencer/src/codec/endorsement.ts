import type { Batch, Endorsement } from '../contract/batch.ts';
import { batchOf } from './batch.ts';
import { isDigest, isHex, isValidator, isWhole } from './form.ts';
import { fieldsOf, textOf, toBytes } from './json.ts';

/** An endorsement as the message that validators send. */
export function encodeEndorsement({ epoch, validator, root, signature }: Endorsement): Uint8Array {
  return toBytes({ epoch, validator, root, signature });
}

/** What a validator's message says: a batch has leaves, an endorsement has none; `null` if it is malformed. */
export function readValidatorMessage(message: Uint8Array): Batch | Endorsement | null {
  const text = textOf(message);
  const fields = text === null ? null : fieldsOf(text);
  if (fields === null) return null;
  return 'leaves' in fields ? batchOf(fields) : endorsementOf(fields);
}

function endorsementOf({ epoch, validator, root, signature }: Readonly<Record<string, unknown>>): Endorsement | null {
  const isWellFormed = isWhole(epoch) && isValidator(validator) && isDigest(root) && isHex(signature);
  return isWellFormed ? { epoch, validator, root, signature } : null;
}

/** The epoch of a message that this validator has made itself. */
export function epochOfMessage(message: Uint8Array): number {
  return Number(fieldsOf(textOf(message) ?? '')?.epoch);
}
