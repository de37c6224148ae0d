import type { WalletSpec } from '../contract/record.ts';
import type { Metadata, TransferKind } from '../contract/transfer.ts';

/** The arguments of one call, without its id. */
export interface TransferContent {
  readonly kind: TransferKind;
  /** The wallet that pays; `''` for a post or a void. */
  readonly source: string;
  readonly destination: string;
  /** Minor units; `null` for the whole reservation. */
  readonly amount: bigint | null;
  readonly currency: string;
  readonly description: string;
  readonly metadata: Metadata;
  readonly pendingId: string | null;
  readonly timeoutMs: number | null;
  /** Who else may end a reservation: see `ReserveOptions`. */
  readonly arbiter: string | null;
  readonly payerMayVoid: boolean;
}

/** Returns the call as canonical text, which is the same for equal calls: a JSON array without line breaks, metadata sorted by key. */
export function contentText(content: TransferContent): string {
  const { kind, source, destination, amount, currency, description, metadata, pendingId, timeoutMs } = content;
  const { arbiter, payerMayVoid } = content;
  const sorted = Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const money = amount === null ? null : amount.toString();
  const ending = arbiter !== null || payerMayVoid ? [arbiter, payerMayVoid] : [];
  return JSON.stringify([
    ...[kind, source, destination, money, currency, description, sorted, pendingId, timeoutMs],
    ...ending,
  ]);
}

/** The inverse of `contentText`. @throws `SyntaxError` or `TypeError` if the text is not a content text */
export function contentOfText(text: string): TransferContent {
  const [kind, source, destination, money, currency, description, sorted, pendingId, timeoutMs, ...ending] =
    JSON.parse(text);
  const [arbiter = null, payerMayVoid = false] = ending;
  const metadata: Metadata = Object.fromEntries(sorted);
  const amount = money === null ? null : BigInt(money);
  const moved = { source, destination, amount, currency };
  return { kind, ...moved, description, metadata, pendingId, timeoutMs, arbiter, payerMayVoid };
}

/** Returns the arguments with which a wallet was created, except its id, as canonical text without line breaks. */
export function walletText({ owner, tags, currency, overdraft, signer }: WalletSpec): string {
  return JSON.stringify([owner, tags, currency, overdraft, signer]);
}

/** The inverse of `walletText`. @throws `SyntaxError` or `TypeError` if the text is not a wallet text */
export function walletOfText(id: string, text: string): WalletSpec {
  const [owner, tags, currency, overdraft, signer] = JSON.parse(text);
  return { id, owner, tags, currency, overdraft, signer };
}

/** Returns the content of the record with which a sweep expires a reservation. */
export function expireText(pendingId: string): string {
  const nothing = { source: '', destination: '', amount: null, currency: '', description: '', metadata: {} };
  return contentText({ kind: 'expire', ...nothing, pendingId, timeoutMs: null, arbiter: null, payerMayVoid: false });
}

/** Returns the id of that record. It begins with `~`, so no caller can choose it. */
export function expireId(reservationSeq: number): string {
  return `~expire.${reservationSeq}`;
}
