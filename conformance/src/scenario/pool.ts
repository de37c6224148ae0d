import assert from 'node:assert/strict';
import {
  type ChainPoint,
  type ConfirmOutcome,
  type DamagedTransaction,
  isDamaged,
  type LaggedEvent,
  type LifeFacts,
  type LogEntry,
  type MempoolEvent,
  type MempoolStore,
  type Policy,
  type StoredTransaction,
  type StoreEvent,
  type TipAnswer,
  type Transaction,
  type TransactionStatus,
  type Usage,
} from 'mempool-core';
import { type CursorKind, cursorOf } from 'mempool-core/backend';
import type { CaseContext } from '../case/case.ts';
import { type FlyingStage, flyingStages } from '../case/must.ts';
import type { Random } from '../case/random.ts';

/** A random transaction, with a hash of 32 bytes. */
export function transaction(random: Random, payloadBytes = 48): Transaction {
  return { hash: random.hex(32), payload: random.bytes(payloadBytes), payloadType: random.below(8) };
}

export function transactions(random: Random, count: number, payloadBytes = 48): Transaction[] {
  return Array.from({ length: count }, () => transaction(random, payloadBytes));
}

/** Transactions with payloads of one repeated byte: cheap when megabytes are needed. */
export function largeTransactions(random: Random, count: number, payloadBytes: number): Transaction[] {
  return Array.from({ length: count }, (_, i) => ({
    hash: random.hex(32),
    payload: new Uint8Array(payloadBytes).fill(i + 1),
    payloadType: 0,
  }));
}

/** The point of the nth block of the one chain. */
export function point(n: number): ChainPoint {
  return { slot: n * 20, hash: n.toString(16).padStart(64, '0') };
}

/** The point of the nth block of a fork of that chain. */
export function forkPoint(n: number): ChainPoint {
  return { slot: n * 20 + 1, hash: n.toString(16).padStart(64, 'f') };
}

export function hashesOf(items: readonly { readonly hash: string }[]): string[] {
  return items.map(({ hash }) => hash);
}

export function kindsOf<Kind>(outcomes: readonly { readonly kind: Kind }[]): Kind[] {
  return outcomes.map(({ kind }) => kind);
}

/** Receives new transactions and returns them. */
export async function receive(context: CaseContext, store: MempoolStore, count: number): Promise<Transaction[]> {
  const batch = transactions(context.random, count);
  await store.receive(batch);
  return batch;
}

/** Receives one new transaction and returns its hash. */
export async function receiveOne(context: CaseContext, store: MempoolStore): Promise<string> {
  const one = transaction(context.random);
  await store.receive([one]);
  return one.hash;
}

/** Receives one new transaction, marks it in flight and returns its hash. */
export async function propagateOne(context: CaseContext, store: MempoolStore): Promise<string> {
  const hash = await receiveOne(context, store);
  await store.markInflight([hash]);
  return hash;
}

/** Receives one new transaction, takes it to that stage and returns its hash. */
export async function flyOne(context: CaseContext, store: MempoolStore, stage: FlyingStage): Promise<string> {
  const hash = await propagateOne(context, store);
  if (stage === 'Acknowledged') await store.markAcknowledged([hash]);
  return hash;
}

/** One new transaction in each of those stages. */
export async function flyEach(context: CaseContext, store: MempoolStore): Promise<string[]> {
  const hashes: string[] = [];
  for (const stage of flyingStages) hashes.push(await flyOne(context, store, stage));
  return hashes;
}

export interface BlockLists {
  readonly seen?: readonly string[];
  readonly unseen?: readonly string[];
}

/** Applies the nth block of the chain. */
export function block(
  store: MempoolStore,
  n: number,
  { seen = [], unseen = [] }: BlockLists = {},
  policy: Policy = {},
): Promise<ConfirmOutcome> {
  return store.confirm({ point: point(n), seen, unseen }, policy);
}

/** Applies empty blocks, from the one to the other. */
export async function emptyBlocks(store: MempoolStore, from: number, to: number, policy: Policy = {}): Promise<void> {
  for (let n = from; n <= to; n++) await block(store, n, {}, policy);
}

export const never: Policy = {
  finalizeThreshold: Number.POSITIVE_INFINITY,
  dropThreshold: Number.POSITIVE_INFINITY,
};

/** Applies a block that finalizes what it carries. */
export function finalizeIn(store: MempoolStore, n: number, hashes: readonly string[]): Promise<ConfirmOutcome> {
  return block(store, n, { seen: hashes }, { finalizeThreshold: 1 });
}

export async function statusOf(store: MempoolStore, hash: string): Promise<TransactionStatus> {
  const [status] = await store.checkStatus([hash]);
  assert.ok(status);
  return status;
}

/** The status of a hash that the pool does not know. */
export function unknownStatus(hash: string): TransactionStatus {
  const none = { confirmations: 0, nonConfirmations: 0, confirmedAt: null, reason: null, notBefore: null };
  return { hash, stage: 'Unknown', ...none, receivedAt: null, attempts: 0 };
}

/** A status without what O8 adds: no block and no counters. */
export function plainStatus(
  hash: string,
  stage: 'Pending' | 'Confirmed',
): ReturnType<typeof withoutFacts<TransactionStatus>> {
  return { ...withoutFacts(unknownStatus(hash)), stage };
}

export async function stagesOf(store: MempoolStore, hashes: readonly string[]): Promise<TransactionStatus['stage'][]> {
  return (await store.checkStatus(hashes)).map(({ stage }) => stage);
}

export async function pendingOrder(store: MempoolStore): Promise<string[]> {
  return hashesOf((await store.peekPending({ limit: 1_000 })).transactions);
}

export async function inflightOrder(store: MempoolStore): Promise<string[]> {
  return hashesOf((await store.peekInflight({ limit: 1_000 })).transactions);
}

export async function logEntries(store: MempoolStore): Promise<LogEntry[]> {
  return (await store.dumpFinalized({ limit: 1_000 })).entries;
}

type Counts = Omit<Usage, 'load' | 'epoch' | 'cursors' | 'oldestInflight'>;

/** The usage that every pool reports: without the load, which only pools with limits have, and the same in equal pools. */
export async function countsOf(store: { usage(): Usage | Promise<Usage> }): Promise<Counts> {
  const { load: _, epoch: __, cursors: ___, oldestInflight: ____, ...counts } = await store.usage();
  return counts;
}

/** The tip and the last points, which are the same in equal pools. */
export async function tipOf(store: MempoolStore, points = 0): Promise<Omit<TipAnswer, 'epoch'>> {
  const { epoch: _, ...tip } = await store.tip({ points });
  return tip;
}

/** What a cursor says beside its pool, so that cursors of two pools compare. */
export function placeOf(cursor: string): string {
  return cursor.slice(0, cursor.indexOf('.'));
}

/** The cursor of a number in the store's pool (O7). */
export async function cursorAt(store: MempoolStore, kind: CursorKind, number: number): Promise<string> {
  const { epoch } = await store.tip();
  return cursorOf(kind, number, epoch);
}

/** Records that were found, none of which is damaged. */
export function intact<R extends object>(found: readonly (R | DamagedTransaction | null)[]): (R | null)[] {
  return found.map((each) => {
    if (isDamaged(each)) throw new assert.AssertionError({ message: `${each.hash} is damaged` });
    return each as R | null;
  });
}

/** The state that a call without effect must not change. */
export async function snapshot(store: MempoolStore): Promise<readonly [Usage, ChainPoint | null, number]> {
  const { point: tip, tick } = await store.tip();
  return [await store.usage(), tip, tick];
}

/** The bytes of a record as text, so that records compare by value. */
export function readable<R extends Transaction | StoredTransaction | LogEntry>(
  record: R,
): Omit<R, 'payload'> & { payload: string } {
  return { ...record, payload: Buffer.from(record.payload).toString('hex') };
}

/** An answer without what O8 says, for cases about other rules. */
export function withoutFacts<R extends LifeFacts>(answer: R): Omit<R, keyof LifeFacts | 'at'> {
  const { receivedAt: _, attempts: __, at: ___, ...told } = { at: null, ...answer };
  return told;
}

/** The next `count` events of a stream. */
export async function take(stream: AsyncIterable<MempoolEvent>, count: number): Promise<MempoolEvent[]> {
  const taken: MempoolEvent[] = [];
  for await (const event of stream) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}

const times: readonly string[] = ['at', 'receivedAt', 'oldestInflight'] satisfies (keyof LogEntry | keyof Usage)[];

/** Answers or events without their times, for comparing stores that have no common clock. */
export function timeless<T>(value: T): T {
  if (Array.isArray(value)) return value.map(timeless) as T;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  // A copy by spreading keeps the shape of the object: comparing thousands of such copies is several times faster.
  const copy = { ...value } as Record<string, unknown>;
  for (const name in copy) copy[name] = times.includes(name) ? null : timeless(copy[name]);
  return copy as T;
}

/** Every event after that number, up to the last one committed. */
export async function eventsAfter({ signal }: CaseContext, store: MempoolStore, after = 0): Promise<StoreEvent[]> {
  const { lastEventSeq } = await store.usage();
  if (lastEventSeq <= after) return [];
  const events: StoreEvent[] = [];
  for await (const event of await store.subscribe({ after: await cursorAt(store, 'events', after), signal })) {
    assert.notEqual(event.kind, 'lagged');
    if (event.kind === 'lagged') continue;
    events.push(contentOf(event));
    if (event.eventSeq >= lastEventSeq || events.length >= lastEventSeq - after) break;
  }
  return events;
}

/** A delivered event without its cursor. */
export function contentOf({ cursor: _, ...event }: MempoolEvent): StoreEvent {
  return event as StoreEvent;
}

/** The events that `run` makes. */
export async function eventsOf(
  context: CaseContext,
  store: MempoolStore,
  run: () => Promise<unknown>,
): Promise<StoreEvent[]> {
  const { lastEventSeq } = await store.usage();
  await run();
  return eventsAfter(context, store, lastEventSeq);
}

/** An event in a few words, for cases about order. */
export function gist(event: StoreEvent | LaggedEvent): string {
  switch (event.kind) {
    case 'block':
      return `${event.action} ${event.point.slot / 20}`;
    case 'transaction':
      return `${event.stage} ${event.hash}`;
    case 'ready':
    case 'parked':
      return `${event.kind} ${event.hash}`;
    case 'lagged':
      return `lagged ${event.missed}`;
  }
}
