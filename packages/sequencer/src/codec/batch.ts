import type { Batch, BatchHead, Leaf } from '../contract/batch.ts';
import { merkleRoot } from '../rules/digest.ts';
import { isDigest, isHex, isName, isValidator, isWhole } from './form.ts';
import { fieldsOf, toBytes } from './json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A batch as the message that validators send. */
export function encodeBatch({ epoch, validator, root, cid, leaves, signature }: Batch): Uint8Array {
  const pairs = leaves.map(({ project, cid: content }) => [project, content]);
  return toBytes({ epoch, validator, root, cid, leaves: pairs, signature });
}

/** The batch in a message; `null` if it is malformed or unsorted, or if `root` is not the root of its leaves. */
export function readBatch(message: Uint8Array): Batch | null {
  return batchIn(fieldsOf(message) ?? {});
}

/** The batch in these fields; `null` as `readBatch`. Computing the root takes 13 µs for each leaf. */
export function batchIn(fields: Fields): Batch | null {
  const head = batchHeadIn(fields);
  const leaves = head === null ? null : leavesOf(fields.leaves);
  return head === null || leaves === null || merkleRoot(leaves) !== head.root ? null : { ...head, leaves };
}

/** The batch in these fields without its leaves, which may be anything; `null` if another field is malformed. */
export function batchHeadIn({ epoch, validator, root, cid, signature }: Fields): BatchHead | null {
  const isWellFormed = isWhole(epoch) && isValidator(validator) && isDigest(root) && isName(cid) && isHex(signature);
  return isWellFormed ? { epoch, validator, root, cid, signature } : null;
}

function leavesOf(pairs: unknown): Leaf[] | null {
  if (!Array.isArray(pairs)) return null;
  const leaves: Leaf[] = [];
  for (const pair of pairs) {
    const [project, cid] = Array.isArray(pair) ? pair : [];
    const last = leaves.at(-1)?.project ?? '';
    if (!isName(project) || !isName(cid) || project <= last) return null;
    leaves.push({ project, cid });
  }
  return leaves;
}
