import type { Batch, Leaf } from '../contract/batch.ts';
import { merkleRoot } from '../rules/digest.ts';
import { isDigest, isHex, isName, isValidator, isWhole } from './form.ts';
import { fieldsOf, textOf, toBytes } from './json.ts';

/** A batch as the message that validators send. */
export function encodeBatch({ epoch, validator, root, cid, leaves, signature }: Batch): Uint8Array {
  const pairs = leaves.map(({ project, cid: content }) => [project, content]);
  return toBytes({ epoch, validator, root, cid, leaves: pairs, signature });
}

/** The batch in a message; `null` if it is malformed, unsorted, or has not the root of its leaves. */
export function readBatch(message: Uint8Array): Batch | null {
  const text = textOf(message);
  return batchOf((text === null ? null : fieldsOf(text)) ?? {});
}

/** The batch that these fields are; `null` as `readBatch`. */
export function batchOf(fields: Readonly<Record<string, unknown>>): Batch | null {
  const { epoch, validator, root, cid, leaves: pairs, signature } = fields;
  if (!isWhole(epoch) || !isValidator(validator) || !isDigest(root) || !isName(cid) || !isHex(signature)) return null;
  const leaves = leavesOf(pairs);
  if (leaves === null || merkleRoot(leaves) !== root) return null;
  return { epoch, validator, root, cid, leaves, signature };
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
