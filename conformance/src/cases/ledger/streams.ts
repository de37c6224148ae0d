import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Ledger, LedgerEvent } from 'mempool-ledger';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnLedger } from '../../case/must.ts';
import { allRecords, created, fund, move, newWallets } from '../../scenario/ledger.ts';

/** The next events of a stream. */
async function take(stream: AsyncIterator<LedgerEvent>, count: number): Promise<LedgerEvent[]> {
  const events: LedgerEvent[] = [];
  while (events.length < count) {
    const { value, done } = await stream.next();
    if (done === true) break;
    events.push(value);
  }
  return events;
}

/** What comes up to the record of this number, in however many pages. */
async function readTo(stream: AsyncIterator<LedgerEvent>, seq: number): Promise<LedgerEvent[]> {
  const events: LedgerEvent[] = [];
  for (;;) {
    const { value, done } = await stream.next();
    if (done === true) return events;
    events.push(value);
    if (value.type !== 'lagged' && value.seq >= seq) return events;
  }
}

function streamOf(ledger: Ledger, after?: number): AsyncIterator<LedgerEvent> {
  return ledger.subscribe(after === undefined ? {} : { after })[Symbol.asyncIterator]();
}

/** Whether nothing comes while other work is done. */
async function isQuiet(next: Promise<unknown>): Promise<boolean> {
  return Promise.race([next.then(() => false), delay(30, true)]);
}

const reading = eachOnLedger({
  'S1/all: from the start every record comes once, in order': async (ledger) => {
    await fund(ledger, { a: 10n, b: 0n });
    await ledger.batch([1, 2, 3].map((n) => ({ ...move(`t${n}`, 'a', 'b', 1n), kind: 'transfer' as const })));
    const records = await allRecords(ledger);
    assert.deepEqual(await take(streamOf(ledger), records.length), records);
    assert.deepEqual(await take(streamOf(ledger, 0), records.length), records);
  },
  'S1/long: also more than one page of them': async (ledger) => {
    await fund(ledger, { a: 2_000n, b: 0n });
    const calls = Array.from({ length: 1_500 }, (_, i) => ({
      ...move(`t${i}`, 'a', 'b', 1n),
      kind: 'transfer' as const,
    }));
    await ledger.batch(calls.slice(0, 1_000));
    await ledger.batch(calls.slice(1_000));
    const events = await take(streamOf(ledger), 1_504);
    assert.deepEqual(
      events.map((one) => (one.type === 'lagged' ? 0 : one.seq)),
      Array.from({ length: 1_504 }, (_, i) => i + 1),
    );
    assert.equal((await allRecords(ledger)).length, 1_504);
  },
  'S2/live: a reader that waits gets what is written later, by any verb': async (ledger) => {
    const stream = streamOf(ledger, await ledger.head());
    const first = stream.next();
    assert.ok(await isQuiet(first));
    await newWallets(ledger, 'a');
    assert.equal((await first).value?.seq, 2);
    const later = take(stream, 4);
    await created(ledger.transfer(move('t', '~vault', 'a', 1n)));
    await ledger.setTags('a', ['x']);
    await created(ledger.transfer(move('t2', 'a', '~vault', 1n)));
    await ledger.closeWallet('a');
    assert.deepEqual(
      (await later).map(({ type }) => type),
      ['transfer', 'tags', 'transfer', 'close'],
    );
  },
  'S2/readers: every reader gets every record': async (ledger) => {
    const head = await ledger.head();
    const readers = [1, 2, 3].map(() => readTo(streamOf(ledger, head), head + 5));
    await newWallets(ledger, 'a', 'b', 'c', 'd', 'e');
    for (const events of await Promise.all(readers)) {
      assert.deepEqual(events, (await allRecords(ledger)).slice(head));
      assert.equal(events.length, 5);
    }
  },
  'S3/ahead: a reader that is ahead of the ledger is told so, and goes on at its end': async (ledger) => {
    const stream = streamOf(ledger, 100);
    assert.deepEqual((await stream.next()).value, { type: 'lagged', from: 101, to: 1 });
    await newWallets(ledger, 'a');
    assert.equal((await stream.next()).value?.seq, 2);
  },
  'S4/aborted: a stream ends when its signal aborts, also while it waits': async (ledger) => {
    const ending = new AbortController();
    const [one, other] = [ledger.subscribe({ after: 1, signal: ending.signal }), ledger.subscribe({ after: 1 })];
    const [next, stays] = [one[Symbol.asyncIterator]().next(), other[Symbol.asyncIterator]().next()];
    assert.ok(await isQuiet(next));
    ending.abort();
    assert.equal((await next).done, true);
    await newWallets(ledger, 'a');
    assert.equal((await stays).value?.seq, 2);
    assert.equal((await ledger.subscribe({ signal: ending.signal })[Symbol.asyncIterator]().next()).done, true);
  },
  'S4/closed: streams end when the ledger is closed, also while they wait': async (ledger) => {
    const waiting = [1, 2].map(() => streamOf(ledger, 1).next());
    assert.ok(await isQuiet(Promise.race(waiting)));
    await ledger.close();
    for (const next of waiting) assert.equal((await next).done, true);
  },
  'S4/left: a reader may leave at any time': async (ledger) => {
    await newWallets(ledger, 'a', 'b');
    for await (const event of ledger.subscribe()) {
      assert.equal(event.type, 'wallet');
      break;
    }
    await newWallets(ledger, 'c');
  },
});

export const streamCases: readonly ConformanceCase[] = reading;
