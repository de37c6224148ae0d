import { MempoolError } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { answered, block, closed, filled, hash, hashes, once, open, rest, transaction, upTo } from './tap.ts';

describe('waitFor (R3)', () => {
  it('resolves with the status when the stage is reached', async () => {
    const { pool } = await open();
    const waiting = pool.waitFor(hash(1));
    await pool.submit(transaction(1));
    expect(await answered(waiting)).toBe(false);
    await pool.confirm(block(1, 1));
    const status = { hash: hash(1), stage: 'Confirmed', confirmations: 1, confirmedAt: { slot: 1 } };
    expect(await waiting).toMatchObject({ kind: 'reached', status });
  });

  it('resolves at once where the stage is reached already, or is behind', async () => {
    const { pool } = await filled(1);
    await pool.confirm(block(1, 1));
    expect(await pool.waitFor(hash(1), { stage: 'Propagated' })).toMatchObject({
      kind: 'reached',
      status: { stage: 'Confirmed' },
    });
  });

  it('waits for a depth, block by block, and resolves at the block that reaches it', async () => {
    const { pool } = await filled(1);
    const waiting = pool.waitFor(hash(1), { confirmations: 3 });
    await pool.confirm(block(1, 1));
    await pool.confirm(block(2));
    expect(await answered(waiting)).toBe(false);
    await pool.confirm(block(3));
    expect(await waiting).toMatchObject({ kind: 'reached', status: { stage: 'Confirmed', confirmations: 3 } });
  });

  it('looks again only at the block that may reach the depth', async () => {
    const { pool, count } = await open({}, { finalizeThreshold: 50 });
    await pool.submit(transaction(1));
    const waiting = pool.waitFor(hash(1), { confirmations: 20 });
    for (const n of upTo(19)) await pool.confirm(n === 1 ? block(n, 1) : block(n));
    await rest();
    const before = count('checkStatus');
    await pool.confirm(block(20));
    await waiting;
    expect(before).toBeLessThanOrEqual(3);
    expect(count('checkStatus')).toBe(before + 1);
  });

  it('looks again where events were lost', async () => {
    const { pool } = await open({}, { maxEvents: 1 });
    await pool.receive([transaction(1), transaction(2)]);
    const waiting = pool.waitFor(hash(1));
    await rest();
    await pool.confirm(block(1, 1, 2));
    await pool.confirm(block(2));
    expect(await waiting).toMatchObject({ kind: 'reached', status: { stage: 'Confirmed' } });
  });

  it('serves all who wait with one subscription, and ends it when nobody waits', async () => {
    const { pool, calls, count } = await filled(1, 2, 3);
    const waiting = hashes(1, 2, 3).map((each) => pool.waitFor(each));
    await rest();
    await pool.confirm(block(1, 1, 2, 3));
    await Promise.all(waiting);
    await pool.waitFor(hash(1), { confirmations: 1 });
    expect(count('subscribe')).toBe(2);
    expect(calls.filter((call) => call.startsWith('checkStatus'))).toEqual(['checkStatus 3', 'checkStatus 1']);
  });

  it('ends with the signal’s reason and leaves others waiting', async () => {
    const { pool } = await open();
    const abort = new AbortController();
    const reason = new Error('enough');
    const [gone, stays] = [pool.waitFor(hash(1), { signal: abort.signal }), pool.waitFor(hash(1))];
    abort.abort(reason);
    await expect(gone).rejects.toBe(reason);
    await pool.submit(transaction(1));
    await pool.confirm(block(1, 1));
    expect(await stays).toMatchObject({ status: { stage: 'Confirmed' } });
  });

  it('answers timeout with the present status when the time is over, and leaves others waiting', async () => {
    const { pool, count } = await filled(1);
    const stays = pool.waitFor(hash(1));
    expect(await pool.waitFor(hash(1), { timeoutMs: 1 })).toMatchObject({
      kind: 'timeout',
      status: { stage: 'Pending' },
    });
    expect(await pool.waitFor(hash(2), { timeoutMs: 0 })).toMatchObject({
      kind: 'timeout',
      status: { stage: 'Unknown' },
    });
    await pool.confirm(block(1, 1));
    expect(await stays).toMatchObject({ kind: 'reached' });
    expect(count('subscribe')).toBe(1);
  });

  it('answers the goal when the time is over, if an event of it is still on its way', async () => {
    const { pool, holdEvents } = await filled(1);
    const release = holdEvents();
    const waiting = pool.waitFor(hash(1), { timeoutMs: 200 });
    await rest();
    await pool.confirm(block(1, 1));
    expect(await waiting).toMatchObject({ kind: 'reached', status: { stage: 'Confirmed' } });
    release();
  });

  it('fails when the time is over and the status cannot be read', async () => {
    const { pool, before } = await filled(1);
    const unavailable = new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'as planned');
    const waiting = pool.waitFor(hash(1), { timeoutMs: 200 });
    await rest();
    before('checkStatus', () => Promise.reject(unavailable));
    await expect(waiting).rejects.toBe(unavailable);
  });

  it.each([-1, 0.5, 2 ** 31, Number.NaN, Number.POSITIVE_INFINITY, '5'])('refuses timeoutMs %s', async (timeoutMs) => {
    const { pool } = await open();
    const refused = { code: 'ERR_MEMPOOL_INVALID', details: { field: 'timeoutMs' } };
    await expect(pool.waitFor(hash(1), { timeoutMs: timeoutMs as number })).rejects.toMatchObject(refused);
  });

  it('ends with CLOSED when the pool closes, after the last events', async () => {
    const { pool } = await filled(1, 2);
    const [confirmed, waits] = [pool.waitFor(hash(1)), pool.waitFor(hash(2))];
    await rest();
    void pool.confirm(block(1, 1));
    const closing = pool.close();
    await expect(waits).rejects.toMatchObject(closed);
    expect(await confirmed).toMatchObject({ status: { stage: 'Confirmed' } });
    await closing;
  });

  it('ends with CLOSED where closing the store fails', async () => {
    const { pool, before } = await open();
    const fault = new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'as planned');
    before('close', () => {
      throw fault;
    });
    const waiting = pool.waitFor(hash(1));
    await rest();
    const ended = expect(waiting).rejects.toMatchObject(closed);
    await expect(pool.close()).rejects.toBe(fault);
    await ended;
    before('close', () => undefined);
  });

  it('fails where the first look fails, and outlives a later failure that may pass', async () => {
    const { pool, before } = await open();
    const unavailable = new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'as planned');
    const failOnce = () =>
      before(
        'checkStatus',
        once(() => Promise.reject(unavailable)),
      );
    failOnce();
    await expect(pool.waitFor(hash(1))).rejects.toBe(unavailable);
    await pool.submit(transaction(1));
    const waiting = pool.waitFor(hash(1), { confirmations: 2 });
    await rest();
    failOnce();
    await pool.confirm(block(1, 1));
    await rest();
    await pool.confirm(block(2));
    expect(await waiting).toMatchObject({ kind: 'reached', status: { confirmations: 2 } });
  });

  it('serves fifteen hundred who wait for blocks: each hears of its own', async () => {
    const { pool } = await open({}, { finalizeThreshold: 3 });
    const all = upTo(1_500);
    const waiting = all.map((n) => pool.waitFor(hash(n), n % 2 === 0 ? { confirmations: 2 } : { stage: 'Finalized' }));
    await Promise.all(all.map((n) => pool.submit(transaction(n))));
    for (const slot of upTo(20)) await pool.confirm(block(slot, ...all.filter((n) => n % 15 === slot)));
    await pool.drop(hashes(...all.filter((n) => n % 15 === 0)), 'failed');
    const told = await Promise.all(waiting);
    expect(told.map(({ kind }) => kind === 'dropped')).toEqual(all.map((n) => n % 15 === 0));
  });
});

/** 1 was in flight and is Pending again, and the waiters' stream does not know it yet: its events are held back. */
async function behind() {
  const opened = await filled(1, 2);
  const { pool } = opened;
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
    expect(await waiting).toMatchObject({ kind: 'reached', status: { stage: 'Propagated' } });
  });

  it.each(['before', 'after'] as const)('hears of what happens just %s it is looked up', async (moment) => {
    const { pool, [moment]: hook } = await filled(1);
    const move = once(async () => {
      await pool.markInflight(hashes(1));
      await pool.release(hashes(1));
      if (moment === 'after') await rest();
    });
    hook('checkStatus', move);
    expect(await pool.waitFor(hash(1), { stage: 'Propagated' })).toMatchObject({
      kind: 'reached',
      status: { stage: 'Propagated' },
    });
  });

  it('notices a depth that is reached while it is looked up', async () => {
    const { pool, after } = await filled(1);
    await pool.confirm(block(1, 1));
    const grow = once(async () => {
      await pool.confirm(block(2));
      await pool.confirm(block(3));
      await rest();
    });
    after('checkStatus', grow);
    expect(await pool.waitFor(hash(1), { confirmations: 3 })).toMatchObject({
      kind: 'reached',
      status: { confirmations: 3 },
    });
  });

  it('does not put a depth off for a roll-back while it is looked up', async () => {
    const { pool, before, holdEvents } = await filled(1);
    for (const slot of [1, 2, 3]) await pool.confirm(slot === 1 ? block(1, 1) : block(slot));
    const release = holdEvents();
    before(
      'checkStatus',
      once(async () => void (await pool.rollback(block(1).point))),
    );
    const waiting = pool.waitFor(hash(1), { confirmations: 4 });
    await rest();
    release();
    await rest();
    for (const slot of [4, 5, 6]) await pool.confirm(block(slot));
    expect(await answered(waiting)).toBe(true);
    expect(await waiting).toMatchObject({ kind: 'reached', status: { confirmations: 4 } });
  });
});
