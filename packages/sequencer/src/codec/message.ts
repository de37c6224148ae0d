import type { Envelope, Submission } from '../contract/submission.ts';
import { isHex, isName, isWhole } from './form.ts';
import { fieldsOf, textOf, toBytes } from './json.ts';

/** A submission as the message that peers send: JSON with its five fields. */
export function encodeSubmission({ epoch, slot, project, cid, signature }: Submission): Uint8Array {
  return toBytes({ epoch, slot, project, cid, signature });
}

/** Where a message belongs; `null` without a whole `epoch` and `slot`. */
export function routeOf(message: string): Pick<Submission, 'epoch' | 'slot'> | null {
  const { epoch, slot } = fieldsOf(message) ?? {};
  return isWhole(epoch) && isWhole(slot) ? { epoch, slot } : null;
}

/** The submission in a message; `null` if it is malformed. Fields that it does not know are passed over. */
export function readSubmission(message: string): Submission | null {
  const { epoch, slot, project, cid, signature } = fieldsOf(message) ?? {};
  const isWellFormed = isWhole(epoch) && isWhole(slot) && isName(project) && isName(cid) && isHex(signature);
  return isWellFormed ? { epoch, slot, project, cid, signature } : null;
}

/** The message that an epoch's pool keeps, and its slot; `null` for a payload of something else, which anybody with the pool may store. */
export function readEnvelope(payload: Uint8Array): Pick<Envelope, 'slot' | 'message'> | null {
  const { slot, message } = fieldsOf(textOf(payload) ?? '') ?? {};
  return isWhole(slot) && typeof message === 'string' ? { slot, message } : null;
}
