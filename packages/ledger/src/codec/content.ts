import type { WalletSpec } from '../contract/record.ts';
import type { Metadata, TransferKind } from '../contract/transfer.ts';

/** All that a caller says in one call, apart from its id. */
export interface TransferContent {
  readonly kind: TransferKind;
  /** Of a post or void `''`. */
  readonly source: string;
  readonly destination: string;
  /** `null`: the whole reservation. */
  readonly amount: bigint | null;
  readonly currency: string;
  readonly description: string;
  readonly metadata: Metadata;
  readonly pendingId: string | null;
  readonly timeoutMs: number | null;
}

/** The call in canonical text, the same for equal calls: a JSON array with the metadata sorted by key, without line breaks. */
export function contentText(content: TransferContent): string {
  const { kind, source, destination, amount, currency, description, metadata, pendingId, timeoutMs } = content;
  const sorted = Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const money = amount === null ? null : amount.toString();
  return JSON.stringify([kind, source, destination, money, currency, description, sorted, pendingId, timeoutMs]);
}

/** @throws `SyntaxError` or `TypeError` if it is no content text */
export function contentOfText(text: string): TransferContent {
  const [kind, source, destination, money, currency, description, sorted, pendingId, timeoutMs] = JSON.parse(text);
  const metadata: Metadata = Object.fromEntries(sorted);
  const amount = money === null ? null : BigInt(money);
  return { kind, source, destination, amount, currency, description, metadata, pendingId, timeoutMs };
}

/** What a wallet was created with, in canonical text without line breaks. The id is not part of it. */
export function walletText({ owner, tags, currency, overdraft, signer }: WalletSpec): string {
  return JSON.stringify([owner, tags, currency, overdraft, signer]);
}

/** @throws `SyntaxError` or `TypeError` if it is no wallet text */
export function walletOfText(id: string, text: string): WalletSpec {
  const [owner, tags, currency, overdraft, signer] = JSON.parse(text);
  return { id, owner, tags, currency, overdraft, signer };
}

/** The content of the record that a sweep makes when a reservation's time has come. */
export function expireText(pendingId: string): string {
  const nothing = { source: '', destination: '', amount: null, currency: '', description: '', metadata: {} };
  return contentText({ kind: 'expire', ...nothing, pendingId, timeoutMs: null });
}

/** The id of that record. No caller can choose it, because it begins with `~`; no series makes it, because it has no colon. */
export function expireId(reservationSeq: number): string {
  return `~expire.${reservationSeq}`;
}

/** The id of reservation number `n` of a series (`ReserveOptions.series`): `~<series>:<n>`. */
export function seriesId(series: string, n: number): string {
  return `~${series}:${n}`;
}
