import assert from 'node:assert/strict';
import type { ReceiveOutcome, StoreEvent, Transaction } from 'mempool-core';
import type { Answer } from '../../case/call.ts';
import type { DumpedEntry, PoolDump } from '../../model/priority/entry.ts';
import type { PoolModel } from '../../model/priority/model.ts';
import { indexesOf } from '../../scenario/priority.ts';
import { assertSame } from '../difference.ts';
import { delivered, eventsToCompare } from '../observation.ts';
import type { HistoryCall } from './call.ts';
import type { HistoryScope } from './call-maker.ts';
import type { PoolNodes } from './nodes.ts';
import { readPool } from './reading.ts';

/** Everything is read after every so many calls; the dump and the events after each call. */
const readEvery = 11;

/** Reads a new pool's events from the first on, and compares the pool with the model. */
export class PoolWatch {
  readonly #nodes: PoolNodes;
  readonly #hashes: readonly string[];
  readonly #scope: HistoryScope;
  readonly #signal: AbortSignal | undefined;
  /** `null`: fifo pools need not have a dump. */
  #before: PoolDump | null;
  #seen = 0;
  #calls = 0;

  private constructor(
    nodes: PoolNodes,
    {
      hashes,
      scope,
      signal,
    }: {
      readonly hashes: readonly string[];
      readonly scope: HistoryScope;
      readonly signal: AbortSignal | undefined;
    },
    before: PoolDump | null,
  ) {
    this.#nodes = nodes;
    this.#hashes = hashes;
    this.#scope = scope;
    this.#signal = signal;
    this.#before = before;
  }

  static async start(
    nodes: PoolNodes,
    hashes: readonly string[],
    scope: HistoryScope,
    signal: AbortSignal | undefined,
  ): Promise<PoolWatch> {
    const before = scope === 'basic' ? null : await indexesOf(nodes.current);
    return new PoolWatch(nodes, { hashes, scope, signal }, before);
  }

  /** @throws AssertionError */
  async compare(model: PoolModel, call: HistoryCall, answer: Answer): Promise<void> {
    const reader = model.reader();
    const store = this.#nodes.current;
    const before = this.#before;
    const after = before && (await indexesOf(store));
    if (after !== null) assertSame(after, reader.dump(), 'the dump is not the one due');
    const events = await this.#newEvents(model.eventsAfter(this.#seen));
    if (this.#scope === 'priority' && before && after) assertInvariants({ call, answer, before, after, events });
    this.#before = after;
    if (this.#calls++ % readEvery !== 0) return;
    const reading = [readPool(store, this.#hashes, this.#scope), readPool(reader, this.#hashes, this.#scope)];
    const [told, due] = await Promise.all(reading);
    assertSame(told, due, 'what can be read is not what is due');
    if (after !== null) await this.#compareReaped(after);
  }

  /** What is reaped is the beginning of the order. With payloads it is what `payloads` tells (P32). */
  async #compareReaped({ order, totals }: PoolDump): Promise<void> {
    const store = this.#nodes.current;
    const readyHashes = order.slice(0, order.length - totals.parked);
    const reaped = (await store.reap({})).map(({ hash }) => hash);
    assertSame(reaped, readyHashes, 'reap is not the beginning of the order');
    const whole = await store.reap({ maxTxs: 1_000 }, { payloads: true, view: true });
    const due = await store.payloads(readyHashes);
    assertSame(bodiesOf(whole), bodiesOf(due), 'reap with payloads does not have the payloads');
  }

  async #newEvents(due: readonly StoreEvent[]): Promise<readonly StoreEvent[]> {
    const told = await this.#nodes.events(due.length, this.#signal);
    assertSame(eventsToCompare(told), delivered(due), 'the events are not the ones due');
    this.#seen += due.length;
    return due;
  }
}

function bodiesOf(found: readonly (Transaction | null)[]): unknown[] {
  return found.map((one) => one && { hash: one.hash, bytes: [...one.payload], payloadType: one.payloadType });
}

/** The effects of one call, as the invariants that need no model look at them. */
interface Change {
  readonly call: HistoryCall;
  readonly answer: Answer;
  readonly before: PoolDump;
  readonly after: PoolDump;
  readonly events: readonly StoreEvent[];
}

/** @throws AssertionError naming the invariant that is broken */
function assertInvariants(change: Change): void {
  assertTotals(change.after);
  assertOrder(change.after);
  assertNothingChanged(change);
  assertWithinLimits(change);
  assertShortestEnd(change);
}

function isCounted({ stage }: DumpedEntry): boolean {
  return stage === 'Pending' || stage === 'Propagated' || stage === 'Acknowledged';
}

function assertTotals(dump: PoolDump): void {
  const rows = dump.entries.filter(isCounted);
  const sum = (amountOf: (entry: DumpedEntry) => number): number => rows.reduce((all, one) => all + amountOf(one), 0);
  const due = {
    transactions: rows.length,
    bytes: sum(({ bytes }) => bytes),
    gas: sum(({ gas }) => gas),
    parked: sum(({ place }) => (place?.ready === false ? 1 : 0)),
  };
  assertSame(dump.totals, due, 'the totals are not the sums of the rows');
}

/** Ready ones before parked ones, and every parent before its child. */
function assertOrder({ entries, order, satisfied }: PoolDump): void {
  const pending = entries.filter(({ stage }) => stage === 'Pending');
  assertSame([...order].sort(), pending.map(({ hash }) => hash).sort(), 'not all that wait are in the order once');
  const readiness = order.map((hash) => pending.find((entry) => entry.hash === hash)?.place?.ready);
  const firstParked = readiness.indexOf(false);
  assert.ok(firstParked < 0 || readiness.lastIndexOf(true) < firstParked, 'a parked one stands before a ready one');
  const met = new Set(satisfied.map(([tag]) => tag));
  for (const { stage, provides } of entries)
    if (stage === 'Propagated' || stage === 'Acknowledged' || stage === 'Confirmed')
      for (const tag of provides) met.add(tag);
  for (const child of pending)
    for (const tag of child.requires.filter((each) => !met.has(each)))
      for (const parent of pending.filter(({ provides }) => provides.includes(tag)))
        assert.ok(order.indexOf(parent.hash) < order.indexOf(child.hash), `${child.hash} stands before its parent`);
}

/** A call that failed, and a `receive` of which everything was refused, leaves the pool as it was. */
function assertNothingChanged({ call, answer, before, after }: Change): void {
  if (call.verb !== 'receive' || 'code' in answer) {
    if ('code' in answer) assertSame(after, before, 'a call that failed changed the pool');
    return;
  }
  const outcomes = answer.value as readonly ReceiveOutcome[];
  const isRefused = outcomes.every(({ kind }) => kind !== 'received' && kind !== 'duplicate');
  if (isRefused) assertSame(after, before, 'a refusal changed the pool');
}

/** An admission leaves the pool within its limits, if it was within them before. What ends for it may leave any number parked (P22). */
function assertWithinLimits({ call, before, after, events }: Change): void {
  if (call.verb !== 'receive') return;
  const { maxTxs, maxBytes, maxParked } = after.limits;
  // A newcomer that a block carried is Confirmed (L13), and what conflicts with it is dropped.
  // One that was replaced and received again in this call has one event, of its new life.
  const isReplacing = events.some(
    (event) =>
      event.kind === 'transaction' &&
      (event.reason === 'replaced' ||
        event.reason === 'conflict' ||
        (event.cause === 'received' && event.previous.stage === 'Pending')),
  );
  const isOneMore = crowdOf(after) > maxParked && crowdOf(after) > crowdOf(before);
  assert.ok(isReplacing || !isOneMore, 'an admission parked more than maxParked');
  const isOver = ({ totals }: PoolDump): boolean => totals.transactions > maxTxs || totals.bytes > maxBytes;
  assert.ok(!isOver(after) || isOver(before), 'the pool was within its limits, and is not after an admission');
}

/** How many parked ones need room: those that are not protected (P28). */
function crowdOf({ entries }: PoolDump): number {
  return entries.filter(({ place, protected: isProtected }) => place?.ready === false && !isProtected).length;
}

/** One newcomer evicts the shortest end of the order without protected ones (P28) that makes room. Checked only if nothing else moved in the order. */
function assertShortestEnd({ call, before, after, events }: Change): void {
  const evicted = events.flatMap((event) =>
    event.kind === 'transaction' && event.reason === 'evicted' ? [event.hash] : [],
  );
  if (call.verb !== 'receive' || call.args[0].length !== 1 || evicted.length === 0) return;
  const [newcomer] = call.args[0];
  const hash = newcomer?.hash ?? '';
  const hasParked = after.entries.some((entry) => entry.hash === hash && entry.place?.ready === false);
  if (
    events.length !== evicted.length + 1 ||
    // P22: parked ones may have left that are not the end of the order. P28: what a protected one requires stays.
    hasParked ||
    newcomer?.verdict?.requires?.length !== 0 ||
    newcomer.verdict.sender !== '' ||
    before.dependents.some(([tag]) => newcomer?.verdict?.provides?.includes(tag))
  )
    return;
  const own = new Set(before.entries.filter((entry) => entry.protected === true).map((entry) => entry.hash));
  const ordinary = before.order.filter((each) => !own.has(each));
  const rest = after.order.filter((each) => each !== hash && !own.has(each));
  const victims = before.order.filter((each) => evicted.includes(each));
  assertSame([...rest, ...victims], ordinary, 'what was evicted is not the end of the order');
  const best = before.entries.find((entry) => entry.hash === victims[0]);
  const isRoom =
    after.totals.transactions + 1 <= after.limits.maxTxs &&
    after.totals.bytes + (best?.bytes ?? 0) <= after.limits.maxBytes;
  assert.ok(!isRoom, `${victims[0]} was evicted for nothing`);
}

/** @throws AssertionError if an empty pool keeps anything but its log */
export function assertDrained({ entries, totals, lastGossipSeq: _, limits: __, ...lists }: PoolDump): void {
  const left = entries.filter(({ stage }) => stage !== 'Dropped' && stage !== 'Finalized');
  assertSame(left, [], 'a drained pool keeps transactions');
  assertSame(totals, { transactions: 0, bytes: 0, gas: 0, parked: 0 }, 'a drained pool counts something');
  for (const [name, list] of Object.entries(lists)) assertSame(list, [], `a drained pool keeps ${name}`);
}
