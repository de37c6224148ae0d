import type { StoredSubmission, Submission } from '../contract/submission.ts';
import { isHex, isName, isWhole } from './form.ts';
import { fieldsOf, toBytes } from './json.ts';

/** A submission as the message that peers send: JSON with its five fields. */
export function encodeSubmission({ epoch, slot, project, cid, signature }: Submission): Uint8Array {
  return toBytes({ epoch, slot, project, cid, signature });
}

/** The submission in a message; `null` if it is malformed. Other fields are ignored. */
export function readSubmission(message: Uint8Array): Submission | null {
  return submissionIn(fieldsOf(message) ?? {});
}

/** The submission in the payload of an epoch's pool; `null` for a payload that no gateway stored. */
export function readStored(payload: Uint8Array): StoredSubmission | null {
  const fields = fieldsOf(payload) ?? {};
  const submission = submissionIn(fields);
  const { peer, at } = fields;
  return submission === null || typeof peer !== 'string' || !isWhole(at) ? null : { ...submission, peer, at };
}

function submissionIn({ epoch, slot, project, cid, signature }: Readonly<Record<string, unknown>>): Submission | null {
  const isWellFormed = isWhole(epoch) && isWhole(slot) && isName(project) && isName(cid) && isHex(signature);
  return isWellFormed ? { epoch, slot, project, cid, signature } : null;
}
