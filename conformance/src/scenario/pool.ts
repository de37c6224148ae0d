import assert from 'node:assert/strict';
import type {
  ChainPoint,
  ConfirmOutcome,
  DropReason,
  LaggedEvent,
  LifeFacts,
  LogEntry,
  MempoolEvent,
  Policy,
  RollbackOutcome,
  StoredTransaction,
  StoreEvent,
  SubscribeOptions,
  TipAnswer,
  Transaction,
  TransactionStatus,
  Usage,
} from 'mempool-core';
import { type CursorKind, cursorOf } from 'mempool-core/backend';
import type { CaseContext } from '../case/case.ts';
import { type FlyingStage, flyingStages } from '../case/must.ts';
import type { Random } from '../case/random.ts';
import type { TestedPool } from '../case/tested-pool.ts';

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

export const never: Policy = {
  finalizeThreshold: Number.POSITIVE_INFINITY,
  dropThreshold: Number.POSITIVE_INFINITY,
};

/** The status of a hash that the pool does not know. */
export function unknownStatus(hash: string): TransactionStatus {
  const none = { confirmations: 0, nonConfirmations: 0, confirmedAt: null, reason: null, notBefore: null };
  return { hash, stage: 'Unknown', ...none, receivedAt: null, attempts: 0 };
}

/** A status without what O8 adds: no block and no counters. */
export function plainStatus(
  hash: string,
  stage: 'Pending' | 'Confirmed' | 'Finalized',
): ReturnType<typeof withoutFacts<TransactionStatus>> {
  return { ...withoutFacts(unknownStatus(hash)), stage };
}

type Counts = Omit<Usage, 'load' | 'epoch' | 'cursors' | 'oldestInflight'>;

/** The usage that every pool reports: without the load, which only pools with limits have, and the same in equal pools. */
export async function countsOf(store: { usage(): Usage | Promise<Usage> }): Promise<Counts> {
  const { load: _, epoch: __, cursors: ___, oldestInflight: ____, ...counts } = await store.usage();
  return counts;
}

/** The tip and the last points, which are the same in equal pools. */
async function tipOf(store: TestedPool, points = 0): Promise<Omit<TipAnswer, 'epoch'>> {
  const { epoch: _, ...tip } = await store.tip({ points });
  return tip;
}

/** What a cursor says beside its pool, so that cursors of two pools compare. */
export function placeOf(cursor: string): string {
  return cursor.slice(0, cursor.indexOf('.'));
}

/** The cursor of a number in the store's pool (O7). */
async function cursorAt(store: TestedPool, kind: CursorKind, number: number): Promise<string> {
  const { epoch } = await store.tip();
  return cursorOf(kind, number, epoch);
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

/** A delivered event without its cursor. */
export function contentOf({ cursor: _, ...event }: MempoolEvent): StoreEvent {
  return event as StoreEvent;
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

/** As many hashes as a number written in the code says. */
type Hashes<Count extends number, Known extends string[] = []> = number extends Count
  ? string[]
  : Known['length'] extends Count
    ? Known
    : Hashes<Count, [...Known, string]>;

/** The lists of a block, as hashes or in a scene as names. */
export interface BlockLists {
  readonly seen?: readonly string[];
  readonly unseen?: readonly string[];
  readonly provides?: readonly string[];
}

/** An open pool of a case: what cases do to it and ask of it. */
export class Pool {
  readonly context: CaseContext;
  readonly store: TestedPool;

  constructor(context: CaseContext, store: TestedPool) {
    this.context = context;
    this.store = store;
  }

  get random(): Random {
    return this.context.random;
  }

  /** The hash of a transaction. A scene has names for them. */
  hash(name: string): string {
    return name;
  }

  name(hash: string): string {
    return hash;
  }

  hashes(names: readonly string[]): string[] {
    return names.map((name) => this.hash(name));
  }

  names(items: readonly (string | { readonly hash: string })[]): string[] {
    return items.map((item) => this.name(typeof item === 'string' ? item : item.hash));
  }

  /** A new transaction, which is not received yet. */
  transaction(payloadBytes?: number): Transaction {
    return transaction(this.random, payloadBytes);
  }

  transactions(count: number, payloadBytes?: number): Transaction[] {
    return transactions(this.random, count, payloadBytes);
  }

  /** Receives new transactions and returns them. */
  async receive(count: number): Promise<Transaction[]> {
    const batch = this.transactions(count);
    await this.store.receive(batch);
    return batch;
  }

  /** Receives new transactions and returns their hashes. */
  async receiveHashes<Count extends number>(count: Count): Promise<Hashes<Count>> {
    return hashesOf(await this.receive(count)) as Hashes<Count>;
  }

  /** Receives one new transaction and returns its hash. */
  async receiveOne(): Promise<string> {
    const [hash] = await this.receiveHashes(1);
    return hash;
  }

  /** Receives one new transaction, marks it in flight and returns its hash. */
  async propagateOne(): Promise<string> {
    const hash = await this.receiveOne();
    await this.store.markInflight([hash]);
    return hash;
  }

  /** Receives one new transaction, takes it to that stage and returns its hash. */
  async flyOne(stage: FlyingStage): Promise<string> {
    const hash = await this.propagateOne();
    if (stage === 'Acknowledged') await this.store.markAcknowledged([hash]);
    return hash;
  }

  /** One new transaction in each of those stages. */
  async flyEach(): Promise<string[]> {
    const hashes: string[] = [];
    for (const stage of flyingStages) hashes.push(await this.flyOne(stage));
    return hashes;
  }

  mark(...names: readonly string[]): Promise<string[]> {
    return this.store.markInflight(this.hashes(names));
  }

  complete(...names: readonly string[]): Promise<string[]> {
    return this.store.complete(this.hashes(names));
  }

  acknowledge(...names: readonly string[]): Promise<string[]> {
    return this.store.markAcknowledged(this.hashes(names));
  }

  release(...names: readonly string[]): Promise<string[]> {
    return this.store.release(this.hashes(names));
  }

  /** Drops them for the reason `failed`. */
  drop(...names: readonly string[]): Promise<string[]> {
    return this.store.drop(this.hashes(names), 'failed');
  }

  /** Applies the nth block of the chain. */
  block(n: number, { seen = [], unseen = [], ...more }: BlockLists = {}, policy: Policy = {}): Promise<ConfirmOutcome> {
    return this.store.confirm(
      { point: point(n), seen: this.hashes(seen), unseen: this.hashes(unseen), ...more },
      policy,
    );
  }

  /** Applies empty blocks, from the one to the other. */
  async blocks(from: number, to: number, policy: Policy = {}): Promise<void> {
    for (let n = from; n <= to; n++) await this.block(n, {}, policy);
  }

  /** Applies a block that finalizes what it carries. */
  finalizeIn(n: number, ...names: readonly string[]): Promise<ConfirmOutcome> {
    return this.block(n, { seen: names }, { finalizeThreshold: 1 });
  }

  /** Undoes the blocks above the nth of the chain. */
  rollback(n: number): Promise<RollbackOutcome> {
    return this.store.rollback(point(n));
  }

  statuses(names: readonly string[]): Promise<TransactionStatus[]> {
    return this.store.status(this.hashes(names));
  }

  async status(name: string): Promise<TransactionStatus> {
    const [status] = await this.statuses([name]);
    assert.ok(status);
    return status;
  }

  /** These fields of the status must have these values. */
  async assertStatus(name: string, expected: Partial<TransactionStatus>): Promise<void> {
    const status = await this.status(name);
    const told = Object.keys(expected).map((field) => [field, status[field as keyof TransactionStatus]]);
    assert.deepEqual(Object.fromEntries(told), expected);
  }

  async stages(...names: readonly string[]): Promise<TransactionStatus['stage'][]> {
    return (await this.statuses(names)).map(({ stage }) => stage);
  }

  async reasons(...names: readonly string[]): Promise<(DropReason | null)[]> {
    return (await this.statuses(names)).map(({ reason }) => reason);
  }

  /** The Pending ones that are not parked, in order. */
  async pending(): Promise<string[]> {
    return this.names((await this.store.peekPending({ limit: 1_000 })).transactions);
  }

  /** Those in flight, by seq. */
  async inflight(): Promise<string[]> {
    return this.names((await this.store.peekInflight({ limit: 1_000 })).transactions);
  }

  async logEntries(): Promise<LogEntry[]> {
    return (await this.store.dumpFinalized({ limit: 1_000 })).entries;
  }

  tip(points = 0): Promise<Omit<TipAnswer, 'epoch'>> {
    return tipOf(this.store, points);
  }

  /** The cursor of a number in this pool (O7). */
  cursor(kind: CursorKind, number: number): Promise<string> {
    return cursorAt(this.store, kind, number);
  }

  /** The state that a call without effect must not change. */
  async snapshot(): Promise<readonly [Usage, ChainPoint | null, number]> {
    const { point: tip, tick } = await this.store.tip();
    return [await this.store.usage(), tip, tick];
  }

  /** All that `unchanged` compares. */
  whole(): Promise<readonly unknown[]> {
    return this.snapshot();
  }

  /** `run` must change nothing. */
  async unchanged(run: () => Promise<unknown>): Promise<void> {
    const before = await this.whole();
    await run();
    assert.deepEqual(await this.whole(), before);
  }

  /** A stream that ends with the case. */
  subscribe(options: SubscribeOptions = {}): Promise<AsyncIterable<MempoolEvent>> {
    return this.store.subscribe({ ...options, signal: this.context.signal });
  }

  /** Every event after that number, up to the last one committed. */
  async events(after = 0): Promise<StoreEvent[]> {
    const { lastEventSeq } = await this.store.usage();
    if (lastEventSeq <= after) return [];
    const events: StoreEvent[] = [];
    for await (const event of await this.subscribe({ after: await this.cursor('events', after) })) {
      assert.notEqual(event.kind, 'lagged');
      if (event.kind === 'lagged') continue;
      events.push(contentOf(event));
      if (event.eventSeq >= lastEventSeq || events.length >= lastEventSeq - after) break;
    }
    return events;
  }

  /** The events that `run` makes. */
  async eventsOf(run: () => Promise<unknown>): Promise<StoreEvent[]> {
    const { lastEventSeq } = await this.store.usage();
    await run();
    return this.events(lastEventSeq);
  }
}
