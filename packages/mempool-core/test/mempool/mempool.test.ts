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
  transaction,
  transactions,
  upTo,
} from './tap.ts';

describe('calls of one transaction', () => {
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
});

describe('the application’s validation', () => {
  const noEven = ({ payload }: { payload: Uint8Array }) =>
    (payload[0] ?? 0) % 2 === 0 ? { code: 2, log: 'even', penalize: true } : {};

  it('sorts a list: outcomes stay in the order given', async () => {
    const { pool } = await open({ validate: async (each) => noEven(each) });
    const outcomes = await pool.receive(transactions(1, 2, 3, 4, 1));
    expect(kinds(outcomes)).toEqual(['received', 'refused', 'received', 'refused', 'duplicate']);
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

  it('may have two payloads for one hash: the refused one is told so and the other is taken', async () => {
    const { pool, unwanted } = await openScreened();
    unwanted.add(7);
    const outcomes = await pool.receive([7, 8].map((n) => ({ ...transaction(n), hash: hash(1) })));
    expect(outcomes).toMatchObject([{ kind: 'refused' }, { kind: 'received', hash: hash(1) }]);
  });
});
