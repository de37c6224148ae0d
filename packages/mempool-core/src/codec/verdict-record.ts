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
  isProtected: boolean,
  tip: string | null,
];
export const verdictLength = 11;

/** The row of a verdict. */
export function verdictRow(verdict: CheckedVerdict): VerdictRow {
  const { priority, sender, senderLimit, gas, provides, requires, expiresAt, expiresAtHeight, propagate } = verdict;
  const { protected: isProtected = false, tip } = verdict;
  const limits = [expiresAt, expiresAtHeight, propagate, isProtected] as const;
  return [
    String(priority),
    sender,
    senderLimit,
    gas,
    provides,
    requires,
    ...limits,
    tip === undefined ? null : String(tip),
  ];
}

/** The inverse of `verdictRow`. @throws `ERR_MEMPOOL_CORRUPT` if priority or tip is out of range; `record` names what it is in */
export function readVerdict(row: VerdictRow, record: string): CheckedVerdict {
  const [text, sender, senderLimit, gas, given, required, expiresAt, expiresAtHeight, propagate, isProtected, tip] =
    row;
  const [provides, requires] = [ownNames(given), ownNames(required)];
  const priority = BigInt(text);
  if (priority < minPriority || priority > maxPriority) throw damaged(record);
  return {
    ...{ priority, sender, senderLimit, gas, provides, requires, expiresAt, expiresAtHeight, propagate },
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
  const [
    priority,
    sender,
    senderLimit,
    gas,
    provides,
    requires,
    expiresAt,
    expiresAtHeight,
    propagate,
    isProtected,
    tip,
  ] = row;
  return (
    typeof priority === 'string' &&
    /^-?\d{1,19}$/.test(priority) &&
    typeof sender === 'string' &&
    isCount(gas) &&
    [senderLimit, expiresAt, expiresAtHeight].every(isOptionalCount) &&
    [provides, requires].every(isNames) &&
    typeof propagate === 'boolean' &&
    typeof isProtected === 'boolean' &&
    (tip === null || (typeof tip === 'string' && /^\d{1,19}$/.test(tip)))
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
