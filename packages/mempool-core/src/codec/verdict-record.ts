import { type CheckedVerdict, maxPriority } from '../contract/verdict.ts';
import { damaged, isCount } from './codec.ts';

/** The fields of a verdict that few transactions have: 1 if it is protected (P28), its tip (P29) and its second weight (P30). */
export type RareFields = [isProtected: 1 | null, tip: string | null, weight2: number | null];

/** Returns the rare fields of a verdict; `null` if it has none of them. */
export function rareFieldsOf({ protected: isProtected, tip, weight2 }: CheckedVerdict): RareFields | null {
  if ((isProtected ?? tip ?? weight2) === undefined) return null;
  return [isProtected ? 1 : null, tip === undefined ? null : String(tip), weight2 ?? null];
}

/** Returns the verdict with these rare fields. @throws `ERR_MEMPOOL_CORRUPT` if the tip is out of range; `record` names what it is in */
export function withRareFields(
  plain: CheckedVerdict,
  [isProtected, tip, weight2]: RareFields,
  record: string,
): CheckedVerdict {
  return {
    ...plain,
    ...(isProtected && { protected: true }),
    ...(tip !== null && { tip: readTip(tip, record) }),
    ...(weight2 !== null && { weight2 }),
  };
}

function readTip(text: string, record: string): bigint {
  const tip = BigInt(text);
  if (tip > maxPriority) throw damaged(record);
  return tip;
}

/** True if the decoded values are rare fields. */
export function areRareFields([isProtected, tip, weight2]: readonly unknown[]): boolean {
  return (
    (isProtected === null || isProtected === 1) &&
    (tip === null || (typeof tip === 'string' && /^\d{1,19}$/.test(tip))) &&
    (weight2 === null || isCount(weight2))
  );
}
