import type { Mempool, TakeOptions } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { hashes, kinds, numbers, openPriority, pays } from './priority-tap.ts';
import { block, hash, open, transaction } from './tap.ts';

describe('a pool with limits', () => {
  it('is reaped, paged and taken from the best on', async () => {
    const { pool } = await openPriority();
    await pool.receive([pays(1, 3n), pays(2, 9n), pays(3, 5n)]);
    expect(numbers(await pool.reap({ maxTxs: 2 }))).toEqual([2, 3]);
    const [first] = await pool.best({ limit: 1 });
    expect(numbers(await pool.best({ after: first?.key }))).toEqual([3, 1]);
    const lot = await pool.take({ maxBytes: 6 }, { owner: 'miner', leaseMs: 1_000, operationId: 'lot' });
    expect([lot.leaseId, lot.owner, numbers(lot.transactions)]).toEqual(['lot', 'miner', [2, 3]]);
    const again = await pool.take({ maxBytes: 6 }, { owner: 'miner', leaseMs: 1_000, operationId: 'lot' });
    expect(again).toEqual(lot);
    await pool.close();
  });

  it('is taken from and flushed after what was submitted before', async () => {
    const { pool } = await openPriority();
    const submitted = pool.submit(pays(1, 1n));
    const taken = pool.take({}, { owner: 'miner', leaseMs: 1_000 });
    const late = pool.submit(pays(2, 1n));
    const flushed = pool.flush();
    expect(kinds(await Promise.all([submitted, late]))).toEqual(['received', 'received']);
    expect(numbers((await taken).transactions)).toEqual([1]);
    expect(await flushed).toBe(1);
    expect(await pool.status(hash(2))).toMatchObject({ stage: 'Dropped', reason: 'flushed' });
    await pool.close();
  });

  it('keeps the arguments of the moment of the call', async () => {
    const { pool } = await openPriority();
    await pool.receive([pays(1, 1n), pays(2, 2n)]);
    const budget = { maxTxs: 1 };
    const options = { owner: 'ann', leaseMs: 1_000 };
    const limits = { maxTxs: 7 };
    const taken = pool.take(budget, options);
    const set = pool.setLimits(limits);
    budget.maxTxs = 9;
    options.owner = 'bob';
    limits.maxTxs = 9;
    const lot = await taken;
    expect([lot.owner, numbers(lot.transactions), (await set).maxTxs]).toEqual(['ann', [2], 7]);
    await pool.close();
  });

  it('lists what is parked, what is stale and what there is to gossip', async () => {
    const { pool } = await openPriority();
    await pool.receive([pays(1, 1n, { requires: ['a'] }), pays(2, 1n)], { height: 3 });
    expect(numbers(await pool.peekParked())).toEqual([1]);
    expect(numbers(await pool.stale({ height: 4 }))).toEqual([1, 2]);
    expect(numbers((await pool.since(0)).items)).toEqual([2]);
    expect((await pool.usage()).load).toMatchObject({ transactions: 2, parked: 1 });
    await pool.close();
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
    await pool.close();
  });

  it('sweeps when it is told to, at the height that it is told', async () => {
    const { pool } = await openPriority();
    await pool.submit(pays(1, 0n, { expiresAtHeight: 4 }));
    expect(await pool.sweep({ height: 4 })).toMatchObject({ expired: [], more: false });
    expect(await pool.sweep({ height: 5 })).toMatchObject({ expired: hashes(1) });
    await pool.close();
  });

  it('refuses an argument by its name, and does nothing', async () => {
    const { pool } = await openPriority();
    await pool.submit(pays(1, 1n));
    await expect(pool.take({ maxTxs: -1 }, { owner: 'a', leaseMs: 1 })).rejects.toMatchObject({
      details: { field: 'budget.maxTxs' },
    });
    await expect(pool.take({}, undefined as unknown as TakeOptions)).rejects.toMatchObject({
      details: { field: 'options' },
    });
    await expect(pool.setLimits({ maxTxs: -1 })).rejects.toMatchObject({ details: { field: 'maxTxs' } });
    await expect(pool.submit({ ...transaction(2), from: '' })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID' });
    expect((await pool.usage()).load).toMatchObject({ transactions: 1 });
    await pool.close();
  });
});

describe('close', () => {
  const verbs: Record<string, (pool: Mempool) => Promise<unknown>> = {
    reap: (pool) => pool.reap(),
    best: (pool) => pool.best(),
    take: (pool) => pool.take({}, { owner: 'a', leaseMs: 1 }),
    sweep: (pool) => pool.sweep(),
    since: (pool) => pool.since(0),
    payloads: (pool) => pool.payloads([]),
    peekParked: (pool) => pool.peekParked(),
    stale: (pool) => pool.stale({ height: 1 }),
    revise: (pool) => pool.revise([]),
    recheck: (pool) => pool.recheck({ height: 1 }),
    flush: (pool) => pool.flush(),
    setLimits: (pool) => pool.setLimits({}),
    waitForPending: (pool) => pool.waitForPending(),
  };

  it.each(Object.keys(verbs))('makes %s reject (R2)', async (verb) => {
    const { pool } = await openPriority({ validate: () => ({}) });
    await pool.close();
    await expect(verbs[verb]?.(pool)).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CLOSED' });
  });
});

describe('options that are bad', () => {
  it.each([
    ['maxInvalid', 0],
    ['keepInvalidMs', -1],
    ['validate', 'yes'],
    ['height', 7],
    ['clock', 7],
    ['schedule', 7],
    ['log', console],
  ])('are refused by name: %s', async (field, bad) => {
    const opening = open({ [field]: bad });
    await expect(opening).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID', details: { field } });
  });
});
