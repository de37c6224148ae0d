import { type CheckedVerdict, maxPriority, minPriority } from '../contract/verdict.ts';
import { damaged, isCount, isOptionalCount } from './codec.ts';

/** A verdict in a record. The priority is a string, because the decoder turns 64-bit integers into numbers and would round them. */
export type VerdictRow = readonly [
  priority: string,
  sender: string,
  senderLimit: number | null,
  gas: number,
  provides: readonly string[],
  requires: readonly string[],
  expiresAt: number | null,
  expiresAtHeight: number | null,
  propagate: boolean,
];
export const verdictLength = 9;

/** The fields of a verdict that few transactions have: 1 if it is protected (P28), and its tip (P29). */
export type RareFields = [isProtected: 1 | null, tip: string | null];
export const rareVerdictLength = 2;

/** Returns the fields that every verdict has. */
export function verdictRow(verdict: CheckedVerdict): VerdictRow {
  const { priority, sender, senderLimit, gas, provides, requires, expiresAt, expiresAtHeight, propagate } = verdict;
  return [String(priority), sender, senderLimit, gas, provides, requires, expiresAt, expiresAtHeight, propagate];
}

/** Returns the rare fields of a verdict; `null` if it has none of them. */
export function rareFieldsOf({ protected: isProtected, tip }: CheckedVerdict): RareFields | null {
  if ((isProtected ?? tip) === undefined) return null;
  return [isProtected ? 1 : null, tip === undefined ? null : String(tip)];
}

/** The inverse of both. @throws `ERR_MEMPOOL_CORRUPT` if priority or tip is out of range; `record` names what it is in */
export function readVerdict(row: VerdictRow, rare: RareFields | null, record: string): CheckedVerdict {
  const [text, sender, senderLimit, gas, given, required, expiresAt, expiresAtHeight, propagate] = row;
  const [provides, requires] = [ownNames(given), ownNames(required)];
  const priority = BigInt(text);
  if (priority < minPriority || priority > maxPriority) throw damaged(record);
  const plain = { priority, sender, senderLimit, gas, provides, requires, expiresAt, expiresAtHeight, propagate };
  if (rare === null) return plain;
  const [isProtected, tip] = rare;
  return {
    ...plain,
    ...(isProtected && { protected: true }),
    ...(tip !== null && { tip: readTip(tip, record) }),
  };
}

function readTip(text: string, record: string): bigint {
  const tip = BigInt(text);
  if (tip > maxPriority) throw damaged(record);
  return tip;
}

/** True if the decoded values are a verdict's row. */
export function isVerdictRow(row: readonly unknown[]): boolean {
  const [priority, sender, senderLimit, gas, provides, requires, expiresAt, expiresAtHeight, propagate] = row;
  return (
    typeof priority === 'string' &&
    /^-?\d{1,19}$/.test(priority) &&
    typeof sender === 'string' &&
    isCount(gas) &&
    [senderLimit, expiresAt, expiresAtHeight].every(isOptionalCount) &&
    [provides, requires].every(isNames) &&
    typeof propagate === 'boolean'
  );
}

/** True if the decoded values are rare fields. */
export function areRareFields([isProtected, tip]: readonly unknown[]): boolean {
  return (
    (isProtected === null || isProtected === 1) && (tip === null || (typeof tip === 'string' && /^\d{1,19}$/.test(tip)))
  );
}

/** True for a list of strings. */
export function isNames(names: unknown): boolean {
  return Array.isArray(names) && names.every((name) => typeof name === 'string');
}

const noNames: readonly string[] = Object.freeze([]);

/** The same list, or one that all empty lists share: a mirror has three of them for each transaction. */
export function ownNames(names: readonly string[]): readonly string[] {
  return names.length === 0 ? noNames : names;
}
