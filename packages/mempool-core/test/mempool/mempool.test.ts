import { type Mempool, MempoolError } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { block, collect, hash, open, transaction } from './tap.ts';

describe('calls of one transaction', () => {
  it('made in one turn become one store call', async () => {
    const { pool, calls } = await open();
    const outcomes = await Promise.all([1, 2, 3].map((n) => pool.submit(transaction(n))));
    expect(outcomes.map((outcome) => [outcome.kind, outcome.hash])).toEqual(
      [1, 2, 3].map((n) => ['received', hash(n)]),
    );
    expect(calls).toEqual(['receive 3']);
    await pool.close();
  });

  it('arrive in the order made, in store calls of at most 128 (L1)', async () => {
    const { pool, calls } = await open();
    await Promise.all(Array.from({ length: 300 }, (_, n) => pool.submit(transaction(n + 1))));
    const pending = await collect(pool.pending());
    expect(pending.map((each) => each.hash)).toEqual(Array.from({ length: 300 }, (_, n) => hash(n + 1)));
    expect(calls.filter((call) => call.startsWith('receive'))).toEqual(['receive 128', 'receive 128', 'receive 44']);
    await pool.close();
  });

  it('see what was queued before them, across verbs (M2)', async () => {
    const { pool } = await open();
    const answers = await Promise.all([
      pool.submit(transaction(1)),
      pool.markInflight(hash(1)),
      pool.markAcknowledged(hash(1)),
      pool.status(hash(1)),
      pool.release(hash(1)),
      pool.drop(hash(1), 'unwanted'),
      pool.status(hash(1)),
      pool.submit(transaction(1)),
    ]);
    expect(answers).toMatchObject([
      { kind: 'received', seq: 1 },
      true,
      true,
      { stage: 'Acknowledged' },
      true,
      true,
      { stage: 'Dropped', reason: 'unwanted' },
      { kind: 'received', seq: 2 },
    ]);
    await pool.close();
  });

  it('tell the first of several who move one hash that it moved, and the others that it did not', async () => {
    const { pool } = await open();
    await pool.submit(transaction(1));
    const moved = await Promise.all([1, 2, 3].map(() => pool.markInflight(hash(1))));
    expect(moved).toEqual([true, false, false]);
    await pool.close();
  });

  it('of the whole pool come after those queued before: a block confirms what was just submitted', async () => {
    const { pool } = await open();
    const submitted = pool.submit(transaction(1));
    const outcome = await pool.confirm(block(1, 1));
    expect(outcome).toMatchObject({ kind: 'applied', confirmed: 1 });
    expect(await submitted).toMatchObject({ kind: 'received', stage: 'Pending' });
    await pool.close();
  });

  it('take lists as well, and answer with the hashes moved', async () => {
    const { pool } = await open();
    await pool.receive([transaction(1), transaction(2), transaction(3)]);
    expect(await pool.markInflight([hash(2), hash(9), hash(1)])).toEqual([hash(2), hash(1)]);
    expect(await pool.drop([hash(3), hash(1)], 'unwanted')).toEqual([hash(3), hash(1)]);
    await pool.close();
  });

  it('own their bytes from the moment they are made (M1)', async () => {
    const { pool } = await open();
    const given = transaction(1);
    const submitted = pool.submit(given);
    given.payload.fill(99);
    await submitted;
    const [stored] = await pool.peekPending();
    expect([...(stored?.payload ?? [])]).toEqual([1, 1, 1]);
    await pool.close();
  });
});

describe('one caller’s bad transaction', () => {
  it('is refused alone, before it is queued (M2)', async () => {
    const { pool, calls } = await open();
    const good = pool.submit(transaction(1));
    await expect(pool.submit({ ...transaction(2), hash: 'XY' })).rejects.toMatchObject({
      code: 'ERR_MEMPOOL_INVALID',
      details: { field: 'transaction.hash' },
    });
    await expect(pool.markInflight('XY')).rejects.toMatchObject({ details: { field: 'hash' } });
    expect(await good).toMatchObject({ kind: 'received' });
    expect(calls).toEqual(['receive 1']);
    await pool.close();
  });

  it('that only the store refuses is refused alone too (M2)', async () => {
    const { pool } = await open();
    const verdict = { priority: 1n };
    const told = await Promise.allSettled(
      [1, 2, 3].map((n) => pool.submit(n === 2 ? { ...transaction(n), verdict } : transaction(n))),
    );
    expect(told.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await pool.usage()).pending).toBe(2);
    await pool.close();
  });
});

describe('an operation id (X2)', () => {
  it('makes a repeat answer as the first call did', async () => {
    const { pool } = await open({ validate: () => ({}) });
    const first = await pool.submit(transaction(1), { operationId: 'op-1' });
    expect(await pool.submit(transaction(1), { operationId: 'op-1' })).toEqual(first);
    expect(await pool.submit(transaction(1))).toMatchObject({ kind: 'duplicate' });
    await pool.close();
  });

  it('that is bad is refused by name', async () => {
    const { pool } = await open();
    await expect(pool.release(hash(1), { operationId: '' })).rejects.toMatchObject({
      details: { field: 'operationId' },
    });
    await pool.close();
  });
});

describe('the application’s validation', () => {
  const noEven = ({ payload }: { payload: Uint8Array }) =>
    (payload[0] ?? 0) % 2 === 0 ? { code: 2, log: 'even', penalize: true } : {};

  it('keeps a refused transaction out, with its reason', async () => {
    const { pool } = await open({ validate: noEven });
    const told = { kind: 'refused', hash: hash(2), code: 2, log: 'even', penalize: true };
    expect(await pool.submit(transaction(2))).toEqual(told);
    expect(await pool.status(hash(2))).toMatchObject({ stage: 'Unknown' });
    await pool.close();
  });

  it('sorts a list: outcomes stay in the order given', async () => {
    const { pool } = await open({ validate: async (each) => noEven(each) });
    const outcomes = await pool.receive([1, 2, 3, 4, 1].map((n) => transaction(n)));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['received', 'refused', 'received', 'refused', 'duplicate']);
    await pool.close();
  });

  it('is not asked about a transaction that the pool has', async () => {
    let asked = 0;
    const validate = () => {
      asked += 1;
      return {};
    };
    const { pool } = await open({ validate });
    await pool.submit(transaction(1));
    expect(await pool.submit(transaction(1))).toMatchObject({ kind: 'duplicate', stage: 'Pending' });
    expect(asked).toBe(1);
    await pool.close();
  });

  it('that throws rejects its caller with what it threw', async () => {
    const reason = new Error('no answer');
    const { pool } = await open({ validate: () => Promise.reject(reason) });
    await expect(pool.submit(transaction(1))).rejects.toBe(reason);
    await pool.close();
  });

  it('gets bytes of its own', async () => {
    const { pool } = await open({
      validate: ({ payload }) => {
        payload.fill(0);
        return {};
      },
    });
    await pool.submit(transaction(7));
    expect([...((await pool.peekPending())[0]?.payload ?? [])]).toEqual([7, 7, 7]);
    await pool.close();
  });
});

describe('walks over pages', () => {
  it('give everything by seq, over page ends (O1)', async () => {
    const { pool } = await open();
    const all = Array.from({ length: 600 }, (_, n) => transaction(n + 1));
    await pool.receive(all);
    await pool.markInflight(all.slice(0, 555).map((each) => each.hash));
    expect((await collect(pool.inflight())).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 555 }, (_, n) => n + 1),
    );
    expect((await collect(pool.pending({ after: 580 }))).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 581),
    );
    await pool.close();
  });

  it('give the terminal log from a cursor on (O4)', async () => {
    const { pool } = await open();
    const all = Array.from({ length: 600 }, (_, n) => transaction(n + 1));
    await pool.receive(all);
    await pool.drop(
      all.map((each) => each.hash),
      'unwanted',
    );
    const numbers = (await collect(pool.finalized({ cursor: 300 }))).map(({ logSeq }) => logSeq);
    expect(numbers).toEqual(Array.from({ length: 301 }, (_, n) => n + 300));
    await pool.close();
  });

  it('tell of a damaged record and step over it, or end with it (M2)', async () => {
    const { pool, before } = await open();
    await pool.receive([1, 2, 3].map((n) => transaction(n)));
    const damaged = new MempoolError('ERR_MEMPOOL_CORRUPT', 'damaged', { hash: hash(1), seq: 1 });
    before('peekPending', (query) => {
      if ((query as { after: number }).after < 1) throw damaged;
    });
    const heard: unknown[] = [];
    const rest = await collect(pool.pending({ onCorrupt: (error) => heard.push(error) }));
    expect([rest.map(({ seq }) => seq), heard]).toEqual([[2, 3], [damaged]]);
    await expect(collect(pool.pending())).rejects.toBe(damaged);
    await pool.close();
  });

  it('end with the signal’s reason', async () => {
    const { pool } = await open();
    const reason = new Error('enough');
    await expect(collect(pool.pending({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    await pool.close();
  });
});

describe('close (R2)', () => {
  it('answers what was accepted, then every verb rejects; twice is fine', async () => {
    const { pool, store } = await open();
    const submitted = pool.submit(transaction(1));
    const closing = pool.close();
    const late = [pool.submit(transaction(2)), pool.usage(), pool.waitFor(hash(1)), pool.confirm(block(1))];
    for (const each of late) await expect(each).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CLOSED' });
    expect(await submitted).toMatchObject({ kind: 'received' });
    await closing;
    await pool.close();
    await expect(store.usage()).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CLOSED' });
  });

  const walk = async (all: AsyncIterable<unknown>): Promise<unknown> => collect(all);
  const verbs: Record<string, (pool: Mempool) => Promise<unknown>> = {
    submit: (pool) => pool.submit(transaction(1)),
    status: (pool) => pool.status(hash(1)),
    receive: (pool) => pool.receive([transaction(1)]),
    markInflight: (pool) => pool.markInflight(hash(1)),
    markAcknowledged: (pool) => pool.markAcknowledged([hash(1)]),
    release: (pool) => pool.release(hash(1)),
    drop: (pool) => pool.drop(hash(1), 'unwanted'),
    confirm: (pool) => pool.confirm(block(1)),
    rollback: (pool) => pool.rollback(null),
    waitFor: (pool) => pool.waitFor(hash(1)),
    watch: (pool) => walk(pool.watch([hash(1)])),
    pending: (pool) => walk(pool.pending()),
    inflight: (pool) => walk(pool.inflight()),
    finalized: (pool) => walk(pool.finalized()),
    hasPending: (pool) => pool.hasPending(),
    peekPending: (pool) => pool.peekPending(),
    peekInflight: (pool) => pool.peekInflight(),
    findInflight: (pool) => pool.findInflight([hash(1)]),
    checkStatus: (pool) => pool.checkStatus([hash(1)]),
    dumpFinalized: (pool) => pool.dumpFinalized(),
    subscribe: (pool) => pool.subscribe(),
    tip: (pool) => pool.tip(),
    usage: (pool) => pool.usage(),
  };

  it.each(Object.keys(verbs))('makes %s reject', async (verb) => {
    const { pool } = await open();
    await pool.close();
    await expect(verbs[verb]?.(pool)).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CLOSED' });
  });

  it('comes with the end of an `await using` block', async () => {
    const { pool, store } = await open();
    {
      await using scoped = pool;
      await scoped.submit(transaction(1));
    }
    await expect(store.tip()).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CLOSED' });
  });
});

describe('options', () => {
  it.each([
    { maxBatch: 0 },
    { maxBatch: 1_001 },
    { maxQueued: 1.5 },
    { maxBatchBytes: -1 },
    { maxTxBytes: Number.NaN },
  ])('that are bad are refused by name: %j', async (bad) => {
    const [field] = Object.keys(bad);
    await expect(open(bad)).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID', details: { field } });
  });
});
