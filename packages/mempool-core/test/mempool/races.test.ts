import { describe, expect, it } from 'vitest';
import { answered, block, hash, type Opened, open, rest, transaction } from './tap.ts';

/** A pool whose events are held back: 1 was in flight and is Pending again, and the waiters' stream does not know it yet. */
async function behind(): Promise<Opened & { release(): void }> {
  const opened = await open();
  const { pool } = opened;
  await pool.receive([transaction(1), transaction(2)]);
  const release = opened.holdEvents();
  void pool.waitFor(hash(2)).catch(() => undefined);
  await rest();
  await pool.markInflight(hash(1));
  await pool.release(hash(1));
  return { ...opened, release };
}

describe('a waiter on a stream that is behind (R3)', () => {
  it('does not take old events for new ones', async () => {
    const { pool, release } = await behind();
    const waiting = pool.waitFor(hash(1), { stage: 'Propagated' });
    expect(await answered(waiting)).toBe(false);
    release();
    expect(await answered(waiting)).toBe(false);
    await pool.markInflight(hash(1));
    expect(await waiting).toMatchObject({ stage: 'Propagated' });
    await pool.close();
  });

  it('nor those that come while it is looked up', async () => {
    const { pool, before, release } = await behind();
    before('checkStatus', async () => {
      release();
      await rest();
    });
    const waiting = pool.waitFor(hash(1), { stage: 'Propagated' });
    expect(await answered(waiting)).toBe(false);
    await rest();
    expect(await answered(waiting)).toBe(false);
    await pool.markInflight(hash(1));
    await waiting;
    await pool.close();
  });

  it('hears of what happens while it is looked up', async () => {
    const { pool, after } = await open();
    await pool.submit(transaction(1));
    let happened = false;
    after('checkStatus', async () => {
      if (happened) return;
      happened = true;
      await pool.store.markInflight([hash(1)]);
      await pool.store.release([hash(1)]);
      await rest();
    });
    expect(await pool.waitFor(hash(1), { stage: 'Propagated' })).toMatchObject({ stage: 'Propagated' });
    await pool.close();
  });
});

it('a depth that is reached while it is looked up is noticed', async () => {
  const { pool, after } = await open();
  await pool.submit(transaction(1));
  await pool.confirm(block(1, 1));
  let happened = false;
  after('checkStatus', async () => {
    if (happened) return;
    happened = true;
    await pool.store.confirm(block(2));
    await pool.store.confirm(block(3));
    await rest();
  });
  const waiting = pool.waitFor(hash(1), { confirmations: 3 });
  expect(await waiting).toMatchObject({ confirmations: 3 });
  await pool.close();
});

it('a roll-back while it is looked up does not put a depth off', async () => {
  const { pool, before, holdEvents } = await open();
  await pool.submit(transaction(1));
  for (const slot of [1, 2, 3]) await pool.confirm(slot === 1 ? block(1, 1) : block(slot));
  const release = holdEvents();
  let happened = false;
  before('checkStatus', async () => {
    if (happened) return;
    happened = true;
    await pool.store.rollback(block(1).point);
  });
  const waiting = pool.waitFor(hash(1), { confirmations: 4 });
  await rest();
  release();
  await rest();
  for (const slot of [4, 5, 6]) await pool.confirm(block(slot));
  expect(await answered(waiting)).toBe(true);
  expect(await waiting).toMatchObject({ confirmations: 4 });
  await pool.close();
});

it('a watch that looked up what its stream tells later does not tell it twice, nor backwards', async () => {
  const { pool, holdEvents } = await open();
  await pool.receive([transaction(1), transaction(2)]);
  const release = holdEvents();
  const changes = pool.watch([hash(1)])[Symbol.asyncIterator]();
  const first = changes.next();
  await first;
  await pool.markInflight(hash(1));
  await pool.release(hash(1));
  await pool.drop(hash(1), 'unwanted');
  release();
  const told = [await changes.next(), await changes.next(), await changes.next()];
  expect(told.map(({ value }) => value?.stage)).toEqual(['Propagated', 'Pending', 'Dropped']);
  await changes.return?.();
  await pool.close();
});

it('a watch takes what was over when it looked for what it is', async () => {
  const { pool, before } = await open();
  await pool.submit(transaction(1));
  let happened = false;
  before('checkStatus', async () => {
    if (happened) return;
    happened = true;
    await pool.store.markInflight([hash(1)]);
    await pool.store.markAcknowledged([hash(1)]);
  });
  const changes = pool.watch([hash(1)])[Symbol.asyncIterator]();
  expect((await changes.next()).value).toMatchObject({ stage: 'Acknowledged' });
  await pool.drop(hash(1), 'unwanted');
  expect((await changes.next()).value).toMatchObject({ stage: 'Dropped' });
  await changes.return?.();
  await pool.close();
});
