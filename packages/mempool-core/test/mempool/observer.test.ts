import type { ObservedCall, OpenOptions } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { block, closed, hash, hashes, open, openPriority, transaction, transactions, upTo } from './tap.ts';

/** A pool whose calls are noted. */
async function observed(options: OpenOptions = {}) {
  const seen: ObservedCall[] = [];
  const opened = await open({ observer: (call) => seen.push(call), ...options });
  const told = () => seen.map(({ verb, outcome, batch }) => `${verb} ${outcome} ${batch}`);
  return { ...opened, seen, told };
}

describe('the observer of a pool', () => {
  it('is told each call: verb, outcome, and how many transactions its store call carried', async () => {
    const { pool, told } = await observed();
    await Promise.all(upTo(5).map((n) => pool.submit(transaction(n))));
    await pool.submit(transaction(1));
    await pool.receive(transactions(6, 7));
    await Promise.all([pool.markInflight(hash(1)), pool.markInflight(hash(2))]);
    await pool.drop(hashes(3, 4), 'failed');
    await pool.confirm(block(1, 1));
    await pool.usage();
    expect(told()).toEqual([
      ...upTo(5).map(() => 'submit received 5'),
      'submit duplicate 1',
      'receive ok 2',
      'markInflight ok 2',
      'markInflight ok 2',
      'drop ok 2',
      'confirm applied 0',
      'usage ok 0',
    ]);
  });

  it('is told errors by their codes, aborts, and what never reached the store', async () => {
    const { pool, told } = await observed({ maxTxBytes: 5 });
    const failing = [
      pool.submit({ ...transaction(1), hash: 'XY' }),
      pool.status(hash(1), { signal: AbortSignal.abort() }),
      pool.sweep({ now: -1 }),
      pool.waitFor(hash(1), { signal: AbortSignal.abort(new Error('enough')) }),
    ];
    expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(failing.map(() => 'rejected'));
    await pool.submit(transaction(1, 6));
    await pool.close();
    await expect(pool.tip()).rejects.toMatchObject(closed);
    expect(told().sort()).toEqual([
      'status aborted 0',
      'submit ERR_MEMPOOL_INVALID 0',
      'submit too-large 0',
      'sweep ERR_MEMPOOL_INVALID 0',
      'tip ERR_MEMPOOL_CLOSED 0',
      'waitFor error 0',
    ]);
  });

  it('is told durations by the clock, and the lengths of the queue', async () => {
    let nowMs = 0;
    const { pool, seen, before } = await observed({ clock: () => nowMs, maxBatch: 1 });
    const { promise, resolve } = Promise.withResolvers<void>();
    before('receive', () => promise);
    const calls = transactions(1, 2, 3, 4).map((each) => pool.submit(each));
    await new Promise(setImmediate);
    nowMs = 7;
    await pool.usage();
    resolve();
    await Promise.all(calls);
    expect(seen[0]).toMatchObject({ verb: 'usage', durationMs: 0, waiting: 2, underWay: 2 });
    expect(seen[1]).toMatchObject({ verb: 'submit', durationMs: 7 });
    expect(seen.at(-1)).toMatchObject({ verb: 'submit', waiting: 0 });
  });

  it('is told what a recheck and a worker call', async () => {
    const seen: string[] = [];
    const { pool } = await openPriority({ validate: () => ({}), observer: ({ verb }) => seen.push(verb) });
    await pool.submit(transaction(1));
    await pool.recheck({ height: 1 });
    const abort = new AbortController();
    await pool.work(() => abort.abort(), { signal: abort.signal });
    for (const verb of ['stale', 'payloads', 'revise', 'recheck', 'take', 'markAcknowledged'])
      expect(seen).toContain(verb);
  });

  it('changes no answer by failing: the log is told', async () => {
    const logged: unknown[] = [];
    const observer = (): never => {
      throw new Error('no disk');
    };
    const { pool } = await open({ observer, log: (level, message) => logged.push([level, message]) });
    expect(await pool.submit(transaction(1))).toMatchObject({ kind: 'received' });
    expect(logged).toEqual([['warn', 'the observer failed']]);
  });
});
