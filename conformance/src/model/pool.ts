import type {
  ChainPoint,
  Counters,
  LifeFacts,
  LogEntry,
  OldestInflight,
  Stage,
  StoredTransaction,
  StoreEvent,
  Tip,
  Transaction,
  TransactionPage,
  TransactionStatus,
} from 'mempool-core';
import { type AppliedBlock, confirmedAt, countersOf, noCounters, type TxState, thisCall } from './life.ts';
import type { Operations } from './operations.ts';

interface Logged extends TxState {
  readonly logSeq: number;
  readonly at: number;
}

type Remembered = Map<string, { readonly stage: Stage; readonly seq: number } & Counters>;

/** Everything as it was before a call. */
export interface Before {
  readonly txStates: Remembered;
  readonly chain: readonly AppliedBlock[];
}

/** The model's state. Plain fields that `structuredClone` copies, identities of blocks included. */
export interface PoolState {
  readonly live: Map<string, TxState>;
  readonly bodies: Map<string, Omit<Transaction, 'hash'>>;
  readonly operations: Operations;
  readonly inclusions: Map<string, AppliedBlock>;
  log: Logged[];
  readonly events: StoreEvent[];
  /** Every block applied and not undone. */
  chain: AppliedBlock[];
  /** How many of these blocks, from the oldest, can no longer be undone. */
  forgotten: number;
  lastSeq: number;
  lastLogSeq: number;
  /** The time of the last call with events. */
  lastAt: number;
}

/** The model's pool. */
export const epoch = 'model';

/** A cursor of the model's pool: a letter and a number in base 36. */
export function cursor(letter: string, number: number): string {
  return `${letter}${number.toString(36)}.${epoch}`;
}

/** The number in a cursor; 0 if none is given. */
export function numberOf(given: string | undefined): number {
  return given === undefined ? 0 : Number.parseInt(given.slice(1, given.indexOf('.')), 36);
}

/** A page of a list that is ordered by seq; without a limit the whole list. */
export function pageOf(
  all: readonly StoredTransaction[],
  { after, limit }: { readonly after?: string | undefined; readonly limit?: number | undefined } = {},
): TransactionPage {
  const start = numberOf(after);
  const transactions = all.filter(({ seq }) => seq > start).slice(0, limit);
  return { transactions, next: cursor('s', transactions.at(-1)?.seq ?? start) };
}

export function emptyPool(): PoolState {
  return {
    live: new Map(),
    bodies: new Map(),
    operations: new Map(),
    inclusions: new Map(),
    log: [],
    events: [],
    chain: [],
    forgotten: 0,
    lastSeq: 0,
    lastLogSeq: 0,
    lastAt: 0,
  };
}

export function keptBlocks({ chain, forgotten }: PoolState): AppliedBlock[] {
  return chain.slice(forgotten);
}

export function tipOf(pool: PoolState): Tip {
  return { point: keptBlocks(pool).at(-1)?.point ?? null, tick: pool.chain.length };
}

/** The current state of a hash: its live record, else its latest log entry. */
export function currentLife(pool: PoolState, hash: string): TxState | undefined {
  return pool.live.get(hash) ?? pool.log.findLast((entry) => entry.hash === hash);
}

export function statusOf(pool: PoolState, hash: string): TransactionStatus {
  const txState = currentLife(pool, hash);
  const none = { ...noCounters, confirmedAt: null, reason: null, notBefore: null, receivedAt: null, attempts: 0 };
  if (txState === undefined) return { hash, stage: 'Unknown', ...none };
  return {
    hash,
    stage: txState.stage,
    ...countersOf(txState),
    confirmedAt: confirmedAt(txState),
    reason: txState.reason,
    notBefore: txState.notBefore ?? null,
    ...told(txState),
  };
}

function told({ times: { receivedAt, attempts } }: TxState): LifeFacts {
  return { receivedAt, attempts };
}

export function lookBefore(pool: PoolState): Before {
  const hashes = new Set([...pool.log.map(({ hash }) => hash), ...pool.live.keys()]);
  const txStates: Remembered = new Map();
  for (const hash of hashes) {
    const txState = currentLife(pool, hash);
    if (txState !== undefined) txStates.set(hash, { stage: txState.stage, seq: txState.seq, ...countersOf(txState) });
  }
  return { txStates, chain: [...pool.chain] };
}

/** The event of a place (P24), without its number and time. */
export type Place =
  | { readonly kind: 'ready'; readonly hash: string; readonly seq: number }
  | {
      readonly kind: 'parked';
      readonly hash: string;
      readonly seq: number;
      readonly reason: 'held' | 'below-floor' | 'missing';
    };

/**
 * E1: the events of a call are the difference between before and after it; then final lives go to the log. `nowMs`: the
 * pool's clock; without it the events have no time.
 */
export function endCall(
  pool: PoolState,
  before: Before,
  maxFinalized: number,
  nowMs: number | undefined,
  places: readonly Place[] = [],
): void {
  const from = pool.events.length;
  writeBlockEvents(pool, before.chain);
  const bySeq = [...pool.live.values()].sort((a, b) => a.seq - b.seq);
  for (const txState of bySeq) writeEvent(pool, txState, before.txStates);
  for (const place of places) pool.events.push({ ...place, eventSeq: pool.events.length + 1, at: 0 });
  const at = setTime(pool, from, nowMs);
  for (const txState of bySeq) fileFinal(pool, txState, at);
  pool.log = pool.log.slice(-maxFinalized);
  for (const hash of pool.bodies.keys()) if (currentLife(pool, hash) === undefined) pool.bodies.delete(hash);
}

/**
 * E5, O8: the time of the call is the clock, but never before the call before. What the call received or sent out has it
 * too.
 */
function setTime(pool: PoolState, from: number, nowMs: number | undefined): number {
  const events = pool.events.splice(from);
  if (events.length > 0 && nowMs !== undefined) pool.lastAt = Math.max(pool.lastAt, nowMs);
  const at = nowMs === undefined ? 0 : pool.lastAt;
  for (const { times } of pool.live.values()) {
    if (times.receivedAt === thisCall) times.receivedAt = at;
    if (times.sentAt === thisCall) times.sentAt = at;
  }
  for (const event of events)
    pool.events.push(
      event.kind === 'transaction' && event.receivedAt === thisCall
        ? { ...event, at, receivedAt: at }
        : { ...event, at },
    );
  return at;
}

function writeBlockEvents(pool: PoolState, before: readonly AppliedBlock[]): void {
  const { chain } = pool;
  const common = before.filter((block, i) => chain[i] === block).length;
  for (let tick = before.length; tick > common; tick--) writeBlockEvent(pool, 'undone', before[tick - 1], tick);
  for (let tick = common + 1; tick <= chain.length; tick++) writeBlockEvent(pool, 'applied', chain[tick - 1], tick);
}

function writeBlockEvent(
  { events }: PoolState,
  action: 'applied' | 'undone',
  block: AppliedBlock | undefined,
  tick: number,
): void {
  if (block === undefined) return;
  const { point } = block;
  events.push({
    kind: 'block',
    eventSeq: events.length + 1,
    at: 0,
    action,
    point,
    tick,
    nodeId: null,
    term: null,
  });
}

function writeEvent({ events }: PoolState, txState: TxState, before: Remembered): void {
  const { hash, seq, stage, reason, cause, times } = txState;
  const old = before.get(hash) ?? { stage: 'Unknown', seq: 0, ...noCounters };
  if (old.stage === stage && old.seq === seq) return;
  const { confirmations, nonConfirmations } = old;
  events.push({
    kind: 'transaction',
    eventSeq: events.length + 1,
    at: 0,
    hash,
    seq,
    stage,
    cause,
    previous: { stage: old.stage, confirmations, nonConfirmations },
    ...countersOf(txState),
    point: confirmedAt(txState),
    reason,
    ...(cause === 'replaced' && { replacedBy: txState.replacedBy ?? '' }),
    attempts: times.attempts,
    receivedAt: times.receivedAt,
  });
}

function fileFinal(pool: PoolState, txState: TxState, at: number): void {
  if (txState.stage !== 'Finalized' && txState.stage !== 'Dropped') return;
  pool.live.delete(txState.hash);
  pool.lastLogSeq += 1;
  pool.log.push({ ...txState, logSeq: pool.lastLogSeq, at });
}

export function storedTransaction(pool: PoolState, txState: TxState): StoredTransaction[] {
  const { hash, seq, stage, notBefore = null } = txState;
  const body = pool.bodies.get(hash);
  if (body === undefined || stage === 'Finalized' || stage === 'Dropped') return [];
  const life = {
    seq,
    stage,
    notBefore,
    confirmedAt: confirmedAt(txState),
    ...countersOf(txState),
    ...told(txState),
  };
  return [{ hash, ...copyOf(body), ...life }];
}

/** L14: Propagated and Acknowledged transactions whose time is known, the longest in flight first. */
export function bySending({ live }: PoolState): TxState[] {
  const out = [...live.values()].filter(({ stage }) => stage === 'Propagated' || stage === 'Acknowledged');
  return out
    .filter(({ times }) => times.sentAt !== null)
    .sort((a, b) => (a.times.sentAt ?? 0) - (b.times.sentAt ?? 0) || a.seq - b.seq);
}

export function oldestInflight(pool: PoolState): OldestInflight | null {
  const [oldest] = bySending(pool);
  return oldest === undefined ? null : { hash: oldest.hash, sentAt: oldest.times.sentAt ?? 0 };
}

export function logEntry(pool: PoolState, entry: Logged): LogEntry[] {
  const { hash, seq, logSeq, stage, reason, at } = entry;
  const body = pool.bodies.get(hash);
  if (body === undefined || (stage !== 'Finalized' && stage !== 'Dropped')) return [];
  const end = { seq, stage, ...countersOf(entry), point: confirmedAt(entry), reason, ...told(entry), at };
  return [{ logSeq, hash, ...copyOf(body), ...end }];
}

function copyOf({ payload, payloadType }: Omit<Transaction, 'hash'>): Omit<Transaction, 'hash'> {
  return { payload: Uint8Array.from(payload), payloadType };
}

export function samePoint(a: ChainPoint, b: ChainPoint): boolean {
  return a.slot === b.slot && a.hash === b.hash;
}
