import type { Transaction } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import {
  block,
  collect,
  filled,
  hash,
  hashes,
  invalid,
  kinds,
  numbers,
  open,
  openPriority,
  pays,
  transaction,
  transactions,
  upTo,
} from './tap.ts';

describe('calls of one transaction', () => {
  it('made in one turn become one store call', async () => {
    const { pool, calls } = await open();
    const outcomes = await Promise.all([1, 2, 3].map((n) => pool.submit(transaction(n))));
    expect(outcomes.map((outcome) => [outcome.kind, outcome.hash])).toEqual(
      [1, 2, 3].map((n) => ['received', hash(n)]),
    );
    expect(calls).toEqual(['receive 3']);
  });

  it('arrive in the order made, in store calls of at most 128 (L1)', async () => {
    const { pool, calls } = await open();
    await Promise.all(upTo(300).map((n) => pool.submit(transaction(n))));
    expect(numbers(await collect(pool.pending()))).toEqual(upTo(300));
    expect(calls.filter((call) => call.startsWith('receive'))).toEqual(['receive 128', 'receive 128', 'receive 44']);
  });

  it('see what was queued before them, across verbs (M2)', async () => {
    const { pool } = await open();
    const answers = await Promise.all([
      pool.submit(transaction(1)),
      pool.markInflight(hash(1)),
      pool.markAcknowledged(hash(1)),
      pool.status(hash(1)),
      pool.release(hash(1)),
      pool.drop(hash(1), 'failed'),
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
      { stage: 'Dropped', reason: 'failed' },
      { kind: 'received', seq: 2 },
    ]);
  });

  it('tell the first of several who move one hash that it moved, and the others that it did not', async () => {
    const { pool } = await open();
    await pool.submit(transaction(1));
    const moved = await Promise.all([1, 2, 3].map(() => pool.markInflight(hash(1))));
    expect(moved).toEqual([true, false, false]);
  });

  it('of the whole pool come after those queued before: a block confirms what was just submitted', async () => {
    const { pool } = await open();
    const submitted = pool.submit(transaction(1));
    const outcome = await pool.confirm(block(1, 1));
    expect(outcome).toMatchObject({ kind: 'applied', confirmed: 1 });
    expect(await submitted).toMatchObject({ kind: 'received', stage: 'Pending' });
  });

  it('take lists as well, and answer with the hashes moved', async () => {
    const { pool } = await filled(1, 2, 3);
    expect(await pool.markInflight([hash(2), hash(9), hash(1)])).toEqual([hash(2), hash(1)]);
    expect(await pool.drop([hash(3), hash(1)], 'failed')).toEqual([hash(3), hash(1)]);
  });

  it('that receive in two store calls are never under way at once: they could swap, and arrival order shows (L1)', async () => {
    const { pool, calls, before } = await open({ maxBatch: 2 });
    const released = Promise.withResolvers<void>();
    before('receive', () => released.promise);
    const submitted = [1, 2, 3].map((n) => pool.submit(transaction(n)));
    expect(await pool.status(hash(9))).toMatchObject({ stage: 'Unknown' });
    expect(calls).toEqual(['receive 2', 'checkStatus 1']);
    released.resolve();
    await Promise.all(submitted);
    expect(numbers(await collect(pool.pending()))).toEqual([1, 2, 3]);
  });

  it('own their bytes from the moment they are made (M1)', async () => {
    const { pool } = await open();
    const given = transaction(1);
    const submitted = pool.submit(given);
    given.payload.fill(99);
    await submitted;
    const [stored] = (await pool.peekPending()).transactions;
    expect([...(stored?.payload ?? [])]).toEqual([1, 1, 1]);
  });
});

describe('one caller’s bad transaction', () => {
  it('is refused alone, before it is queued (M2)', async () => {
    const { pool, calls } = await open();
    const good = pool.submit(transaction(1));
    await expect(pool.submit({ ...transaction(2), hash: 'XY' })).rejects.toMatchObject(invalid('transaction.hash'));
    await expect(pool.markInflight('XY')).rejects.toMatchObject(invalid('hash'));
    expect(await good).toMatchObject({ kind: 'received' });
    expect(calls).toEqual(['receive 1']);
  });

  it('that only the store refuses is refused alone too (M2)', async () => {
    const { pool } = await open();
    const verdict = { priority: 1n };
    const told = await Promise.allSettled(
      [1, 2, 3].map((n) => pool.submit(n === 2 ? { ...transaction(n), verdict } : transaction(n))),
    );
    expect(told.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await pool.usage()).pending).toBe(2);
  });
});

describe('an operation id (X2)', () => {
  it('makes a repeat answer as the first call did', async () => {
    const { pool } = await open({ validate: () => ({}) });
    const first = await pool.submit(transaction(1), { operationId: 'op-1' });
    expect(await pool.submit(transaction(1), { operationId: 'op-1' })).toEqual(first);
    expect(await pool.submit(transaction(1))).toMatchObject({ kind: 'duplicate' });
  });

  it('is answered as before when the height has moved and the application judges anew', async () => {
    let price = 0n;
    const validate = () => ({ priority: ++price });
    const { pool } = await openPriority({ validate });
    const operation = { operationId: 'op-1' };
    const first = await pool.submit(transaction(1), operation);
    await pool.drop([hash(1)], 'failed');
    await pool.confirm({ point: { slot: 1, hash: hash(9) }, seen: [], unseen: [] });
    expect(await pool.submit(transaction(1), operation)).toEqual(first);
    expect([price, (await pool.status(hash(1))).stage]).toEqual([2n, 'Dropped']);
  });

  it('that another list has used is refused by name, and so is one of a single transaction', async () => {
    const { pool } = await open();
    await pool.receive(transactions(1, 2), { operationId: 'one' });
    for (const repeat of [
      pool.submit(transaction(1), { operationId: 'one' }),
      pool.receive([transaction(3)], { operationId: 'one' }),
    ])
      await expect(repeat).rejects.toMatchObject(invalid('operationId'));
    expect((await pool.usage()).pending).toBe(2);
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
  });

  it('sorts a list: outcomes stay in the order given', async () => {
    const { pool } = await open({ validate: async (each) => noEven(each) });
    const outcomes = await pool.receive(transactions(1, 2, 3, 4, 1));
    expect(kinds(outcomes)).toEqual(['received', 'refused', 'received', 'refused', 'duplicate']);
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
  });

  it('that throws rejects its caller with what it threw', async () => {
    const reason = new Error('no answer');
    const { pool } = await open({ validate: () => Promise.reject(reason) });
    await expect(pool.submit(transaction(1))).rejects.toBe(reason);
  });

  it('gets bytes of its own', async () => {
    const { pool } = await open({
      validate: ({ payload }) => {
        payload.fill(0);
        return {};
      },
    });
    await pool.submit(transaction(7));
    expect([...((await pool.peekPending()).transactions[0]?.payload ?? [])]).toEqual([7, 7, 7]);
  });
});

describe('walks over pages', () => {
  it('give everything by seq, over page ends (O1)', async () => {
    const { pool } = await filled(...upTo(600));
    await pool.markInflight(hashes(...upTo(555)));
    expect((await collect(pool.inflight())).map(({ seq }) => seq)).toEqual(upTo(555));
    const waiting = await collect(pool.pending());
    const rest = await collect(pool.pending({ after: waiting[24]?.cursor }));
    expect(rest.map(({ seq }) => seq)).toEqual(upTo(600).slice(580));
  });

  it('give the terminal log from a cursor on (O4)', async () => {
    const { pool } = await filled(...upTo(600));
    await pool.drop(hashes(...upTo(600)), 'failed');
    const all = await collect(pool.finalized());
    const places = (await collect(pool.finalized({ cursor: all[298]?.cursor }))).map(({ logSeq }) => logSeq);
    expect([all.length, places]).toEqual([600, upTo(600).slice(299)]);
  });

  it('end with the signal’s reason', async () => {
    const { pool } = await open();
    const reason = new Error('enough');
    await expect(collect(pool.pending({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
  });
});

describe('a list that is received again with its operation id (X2)', () => {
  const operation = { operationId: 'once' };

  /** A pool whose application refuses the transactions whose payloads begin with these. */
  async function openScreened() {
    const unwanted = new Set<number>();
    const validate = ({ payload }: Transaction) =>
      unwanted.has(payload[0] ?? 0) ? { code: 7, log: 'spent', penalize: true } : {};
    return { unwanted, ...(await open({ validate, keepInvalidMs: 0 })) };
  }

  it('is answered as before, whatever the application refuses by now', async () => {
    const { pool, unwanted } = await openScreened();
    const first = await pool.receive(transactions(1, 2, 3), operation);
    await pool.drop(hash(1), 'failed');
    unwanted.add(1);
    expect(await pool.receive(transactions(1, 2, 3), operation)).toEqual(first);
    expect(await pool.status(hash(1))).toMatchObject({ stage: 'Dropped' });
  });

  it('takes in nothing that was refused before, whatever the application accepts by now', async () => {
    const { pool, unwanted } = await openScreened();
    unwanted.add(1);
    const [refused, received] = await pool.receive(transactions(1, 2), operation);
    unwanted.clear();
    const repeat = await pool.receive(transactions(1, 2), operation);
    expect(refused).toMatchObject({ kind: 'refused', hash: hash(1), code: 7, log: 'spent', penalize: true });
    expect(repeat).toMatchObject([{ kind: 'refused', hash: hash(1), codespace: 'mempool', penalize: false }, received]);
    expect(await pool.status(hash(1))).toMatchObject({ stage: 'Unknown' });
  });

  it('is judged anew where it was refused as a whole', async () => {
    const { pool, unwanted } = await openScreened();
    unwanted.add(1);
    expect(await pool.receive([transaction(1)], operation)).toMatchObject([{ kind: 'refused' }]);
    unwanted.clear();
    expect(await pool.receive([transaction(1)], operation)).toMatchObject([{ kind: 'received', hash: hash(1) }]);
  });

  it('may have two payloads for one hash: the refused one is told so and the other is taken', async () => {
    const { pool, unwanted } = await openScreened();
    unwanted.add(7);
    const outcomes = await pool.receive([7, 8].map((n) => ({ ...transaction(n), hash: hash(1) })));
    expect(outcomes).toMatchObject([{ kind: 'refused' }, { kind: 'received', hash: hash(1) }]);
  });
});

describe('a priority pool', () => {
  const miner = { owner: 'miner', claimMs: 1_000 };

  it('is reaped, paged and taken from the best on', async () => {
    const { pool } = await openPriority();
    await pool.receive([pays(1, 3n), pays(2, 9n), pays(3, 5n)]);
    expect(numbers(await pool.reap({ maxTxs: 2 }))).toEqual([2, 3]);
    const [first] = await pool.best({ limit: 1 });
    expect(numbers(await pool.best({ after: first?.key }))).toEqual([3, 1]);
    const lot = await pool.take({ maxBytes: 6 }, { ...miner, operationId: 'lot' });
    expect([lot.claimId, lot.owner, numbers(lot.transactions)]).toEqual(['lot', 'miner', [2, 3]]);
    expect(await pool.take({ maxBytes: 6 }, { ...miner, operationId: 'lot' })).toEqual(lot);
  });

  it('is taken from and flushed after what was submitted before', async () => {
    const { pool } = await openPriority();
    const submitted = pool.submit(pays(1, 1n));
    const taken = pool.take({}, miner);
    const late = pool.submit(pays(2, 1n));
    const flushed = pool.flush();
    expect(kinds(await Promise.all([submitted, late]))).toEqual(['received', 'received']);
    expect(numbers((await taken).transactions)).toEqual([1]);
    expect(await flushed).toBe(1);
    expect(await pool.status(hash(2))).toMatchObject({ stage: 'Dropped', reason: 'flushed' });
  });

  it('lists what is parked, what is stale and what there is to gossip', async () => {
    const { pool } = await openPriority();
    await pool.receive([pays(1, 1n, { requires: ['a'] }), pays(2, 1n)], { height: 3 });
    expect(numbers((await pool.peekParked()).transactions)).toEqual([1]);
    expect(numbers(await pool.stale({ height: 4 }))).toEqual([1, 2]);
    expect(numbers((await pool.since()).items)).toEqual([2]);
    expect((await pool.usage()).load).toMatchObject({ transactions: 2, parked: 1 });
  });

  it('applies a verdict that was given again, and what a block says of tags', async () => {
    const { pool } = await openPriority();
    await pool.receive([pays(1, 1n, { provides: ['a'] }), pays(2, 2n)]);
    const answer = { priority: 5n, provides: ['a'] };
    const revised = await pool.revise([{ hash: hash(1), version: 1, answer }], { height: 8 });
    expect(revised).toEqual([{ kind: 'revised', hash: hash(1), version: 2 }]);
    expect(numbers(await pool.reap())).toEqual([1, 2]);
    await pool.confirm({ ...block(1), provides: ['a'] });
    expect(await pool.status(hash(1))).toMatchObject({ stage: 'Dropped', reason: 'conflict' });
  });

  it('sweeps when it is told to, at the height that it is told', async () => {
    const { pool } = await openPriority();
    await pool.submit(pays(1, 0n, { expiresAtHeight: 4 }));
    expect(await pool.sweep({ height: 4 })).toMatchObject({ expired: [], more: false });
    expect(await pool.sweep({ height: 5 })).toMatchObject({ expired: hashes(1) });
  });
});
