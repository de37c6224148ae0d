import {
  account,
  isRefusal,
  onePerSender,
  type Transaction,
  utxo,
  utxoLimits,
  utxoTags,
  type Validate,
  type Verdict,
} from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { hash, open, transaction } from './mempool-tap.ts';
import { hashes, kinds, numbers, openPriority, pays } from './priority-tap.ts';

/** The payload's first byte as priority; 66 is refused. */
function byByte() {
  const asked: number[] = [];
  const validate: Validate = ({ payload: [first = 0] }) => {
    asked.push(first);
    return first === 66 ? { code: 9, log: 'garbage', penalize: true } : { priority: BigInt(first) };
  };
  return { asked, validate };
}

const garbage = (n = 66): Transaction => ({ ...transaction(66), hash: hash(n) });

describe('what the application says of a transaction', () => {
  it('is its place in the pool', async () => {
    const { pool } = await openPriority(byByte());
    await Promise.all([3, 9, 5].map((n) => pool.submit(transaction(n))));
    expect((await pool.reap()).map(({ priority }) => priority)).toEqual([9n, 5n, 3n]);
    await pool.close();
  });

  it('may come with the transaction: then nobody is asked', async () => {
    const { asked, validate } = byByte();
    const { pool } = await openPriority({ validate });
    await pool.submit(pays(1, 100n));
    await pool.receive([pays(2, 50n), transaction(77)]);
    expect(asked).toEqual([77]);
    expect(numbers(await pool.reap())).toEqual([1, 77, 2]);
    await pool.close();
  });

  it('is copied: changing it later changes nothing', async () => {
    const { pool } = await openPriority();
    const verdict = { priority: 1n, provides: ['a'] };
    const submitted = pool.submit({ ...transaction(1), verdict });
    verdict.priority = 9n;
    verdict.provides.push('b');
    await submitted;
    const [entry] = (await pool.store.dump()).entries;
    expect(entry).toMatchObject({ priority: 1n, provides: ['a'] });
    await pool.close();
  });

  it.each([
    ['priority', { priority: 2n ** 63n }],
    ['kind', { kind: 'refused', reason: 'old' }],
    ['prioritty', { prioritty: 1n }],
  ])('rejects its own caller alone where no pool can take it: %s', async (field, verdict) => {
    const { validate } = byByte();
    const { pool } = await openPriority({
      validate: (each, to) => (each.hash === hash(1) ? (verdict as Verdict) : validate(each, to)),
    });
    const told = await Promise.allSettled([1, 2].map((n) => pool.submit(transaction(n))));
    expect(told).toMatchObject([
      { status: 'rejected', reason: { code: 'ERR_MEMPOOL_INVALID', details: { field: `verdict.${field}` } } },
      { status: 'fulfilled', value: { kind: 'received' } },
    ]);
    await pool.close();
  });

  it('takes nothing in where it is nothing', async () => {
    const { pool } = await openPriority({ validate: (() => undefined) as unknown as Validate });
    await expect(pool.submit(transaction(1))).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID' });
    expect((await pool.usage()).pending).toBe(0);
    await pool.close();
  });

  it('is not waited for any longer where the signal aborts, and nothing is taken in', async () => {
    const { promise, resolve } = Promise.withResolvers<object>();
    const asking = Promise.withResolvers<AbortSignal | undefined>();
    const { pool } = await openPriority({
      validate: (_, { signal }) => {
        asking.resolve(signal);
        return promise;
      },
    });
    const stop = new AbortController();
    const submitted = pool.submit(transaction(1), { signal: stop.signal });
    expect(await asking.promise).toBe(stop.signal);
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(submitted).rejects.toBe(reason);
    resolve({});
    expect((await pool.usage()).pending).toBe(0);
    await pool.close();
  });

  it('is unsupported in a pool in order of arrival where it says something, for its own caller alone', async () => {
    const { pool } = await open({ validate: byByte().validate });
    const told = await Promise.allSettled(
      [0, 5, 0].map((first, i) => pool.submit({ ...transaction(first), hash: hash(i + 1) })),
    );
    expect(told).toMatchObject([
      { value: { kind: 'received' } },
      { reason: { code: 'ERR_MEMPOOL_UNSUPPORTED' } },
      { value: { kind: 'received' } },
    ]);
    await pool.close();
  });
});

describe('a refusal', () => {
  it('is answered with all that the application said, and the store never sees the transaction', async () => {
    const data = new Uint8Array([1, 2]);
    const said = { code: 5, log: 'spent', penalize: false, data, info: 'more', codespace: 'bank' };
    const { pool, calls } = await openPriority({ validate: () => said });
    const outcome = await pool.submit(transaction(1));
    expect(outcome).toEqual({ kind: 'refused', hash: hash(1), ...said });
    data.fill(0);
    expect(await pool.submit(transaction(1))).toMatchObject({ data: new Uint8Array([1, 2]) });
    expect(calls.filter((call) => call.startsWith('receive'))).toEqual([]);
    await pool.close();
  });

  it('is given again without asking, alone and in a list, until its time is over', async () => {
    const { asked, validate } = byByte();
    const time = { nowMs: 0 };
    const { pool } = await openPriority({ validate, keepInvalidMs: 1_000, clock: () => time.nowMs });
    const first = await pool.submit(garbage());
    time.nowMs = 999;
    expect(await pool.submit(garbage())).toEqual(first);
    expect(await pool.receive([garbage(), transaction(1)])).toMatchObject([first, { kind: 'received' }]);
    expect(asked).toEqual([66, 1]);
    time.nowMs = 1_000;
    expect(await pool.submit(garbage())).toEqual(first);
    expect(asked).toEqual([66, 1, 66]);
    await pool.close();
  });

  it('is asked for every time with a time of 0', async () => {
    const { asked, validate } = byByte();
    const { pool } = await openPriority({ validate, keepInvalidMs: 0 });
    for (let n = 0; n < 3; n += 1) await pool.submit(garbage());
    expect(asked).toEqual([66, 66, 66]);
    await pool.close();
  });

  it('does not keep out the true transaction, whose hash a stranger put on garbage', async () => {
    const { pool } = await openPriority(byByte());
    expect(kinds([await pool.submit(garbage(7)), await pool.submit(transaction(7))])).toEqual(['refused', 'received']);
    await pool.close();
  });

  it('holds for its height', async () => {
    const { asked, validate } = byByte();
    const { pool } = await openPriority({ validate });
    for (const height of [4, 4, 5]) await pool.submit(garbage(), { height });
    expect(asked).toEqual([66, 66]);
    await pool.close();
  });
});

describe('a transaction that the pool has', () => {
  it('is a duplicate without asking, also where this node refused it before', async () => {
    const { asked, validate } = byByte();
    const { pool } = await openPriority({ validate });
    await pool.submit(garbage());
    await pool.store.receive([garbage()]);
    expect(await pool.submit(garbage())).toEqual({ kind: 'duplicate', hash: hash(66), stage: 'Pending' });
    expect(await pool.receive([garbage()])).toEqual([{ kind: 'duplicate', hash: hash(66), stage: 'Pending' }]);
    expect(asked).toEqual([66]);
    await pool.close();
  });

  it('gains every peer that sends it, without asking', async () => {
    const { asked, validate } = byByte();
    const { pool } = await openPriority({ validate });
    await pool.submit(transaction(1), { from: 'ann' });
    expect(await pool.submit(transaction(1), { from: 'bob' })).toMatchObject({ kind: 'duplicate' });
    await pool.receive([{ ...transaction(1), from: 'cy' }, transaction(2)], { from: 'dan' });
    expect(asked).toEqual([1, 2]);
    const { entries } = await pool.store.dump();
    expect(entries.map(({ sources }) => sources)).toEqual([['ann', 'bob', 'cy'], ['dan']]);
    await pool.close();
  });

  it.each(['submit', 'receive'] as const)('and that leaves while it is sent again is asked about: %s', async (verb) => {
    const { asked, validate } = byByte();
    const { pool, store, before } = await openPriority({ validate });
    await pool.submit(transaction(5));
    let times = 0;
    before('receive', async () => {
      times += 1;
      if (times === 1) await store.drop([hash(5)], 'gone');
    });
    const from = 'ann';
    const outcome =
      verb === 'submit'
        ? await pool.submit(transaction(5), { from })
        : (await pool.receive([transaction(6), transaction(5)], { from }))[1];
    expect(outcome).toMatchObject({ kind: 'received', hash: hash(5) });
    expect(asked.filter((first) => first === 5)).toEqual([5, 5]);
    const [entry] = (await pool.store.dump()).entries.filter((each) => each.hash === hash(5));
    expect(entry).toMatchObject({ priority: 5n, provides: [], sources: ['ann'] });
    await pool.close();
  });

  it('answers a repeated operation id as it did first, whatever the application says by now', async () => {
    const { validate } = byByte();
    const { pool } = await openPriority({ validate });
    const first = await pool.submit(transaction(5), { operationId: 'one' });
    expect(await pool.submit(transaction(5), { operationId: 'one' })).toEqual(first);
    expect(await pool.submit(transaction(5), { operationId: 'two' })).toMatchObject({ kind: 'duplicate' });
    await pool.close();
  });
});

describe('calls at different heights', () => {
  it('never share a store call, and arrive in the order made; those at one height do', async () => {
    const { pool, calls } = await openPriority();
    const heights = [7, 7, 8, 8, 7];
    const outcomes = await Promise.all(heights.map((height, i) => pool.submit(pays(i + 1, 0n), { height })));
    expect(outcomes.map((outcome) => (outcome.kind === 'received' ? outcome.seq : 0))).toEqual([1, 2, 3, 4, 5]);
    expect(calls.filter((call) => call.startsWith('receive'))).toEqual(['receive 2', 'receive 2', 'receive 1']);
    const checked = (await pool.store.dump()).entries.map(({ admittedHeight }) => admittedHeight);
    expect(checked).toEqual(heights);
    await pool.close();
  });

  it('take the pool’s own height where they name none, and the application is told it', async () => {
    const heights: unknown[] = [];
    const chain = { height: 41 };
    const validate: Validate = (_, { height, occasion }) => {
      heights.push([occasion, height]);
      return {};
    };
    const { pool } = await openPriority({ validate, height: () => chain.height });
    await pool.submit(transaction(1));
    chain.height = 42;
    await pool.receive([transaction(2)]);
    await pool.submit(transaction(3), { height: 50 });
    expect(heights).toEqual([41, 42, 50].map((height) => ['new', height]));
    expect((await pool.stale({ height: 50 })).map(({ checkedHeight }) => checkedHeight)).toEqual([41, 42]);
    await pool.close();
  });

  it('name a bad one by its field', async () => {
    const { pool } = await openPriority();
    const bad = pool.submit(transaction(1), { height: -1 });
    await expect(bad).rejects.toMatchObject({ details: { field: 'height' } });
    await pool.close();
  });
});

describe('the models in a pool', () => {
  it('one per sender: the place is free again when the first is confirmed', async () => {
    const { pool } = await openPriority();
    const of = (n: number, sender: string, priority = 0n) => ({
      ...transaction(n),
      verdict: onePerSender(sender, { priority }),
    });
    const outcomes = await pool.receive([of(1, 'ann'), of(2, 'ann', 99n), of(3, 'bob'), of(4, ''), of(5, '')]);
    expect(kinds(outcomes)).toEqual(['received', 'sender-limit', 'received', 'received', 'received']);
    await pool.confirm({ point: { slot: 1, hash: hash(1_000) }, seen: hashes(1), unseen: [] });
    expect(await pool.submit(of(2, 'ann'))).toMatchObject({ kind: 'received' });
    await pool.close();
  });

  it('accounts: nonces wait for the one before, and come in their order whatever they pay', async () => {
    const chainNonce = 5n;
    const nonces: Record<number, bigint> = { 1: 7n, 2: 5n, 3: 6n, 4: 4n };
    const validate: Validate = ({ payload: [n = 0] }) =>
      account('ann', nonces[n] ?? 0n, chainNonce, { priority: BigInt(10 * n) });
    const { pool } = await openPriority({ validate });
    expect(await pool.submit(transaction(1))).toMatchObject({ kind: 'received', parked: true });
    expect(await pool.submit(transaction(2))).not.toHaveProperty('parked');
    expect(numbers(await pool.reap())).toEqual([2]);
    await pool.submit(transaction(3));
    expect(numbers(await pool.reap())).toEqual([2, 3, 1]);
    expect(await pool.submit(transaction(4))).toMatchObject({ kind: 'refused', code: 1, codespace: 'mempool' });
    await pool.close();
  });

  it('accounts: the same nonce again replaces, if it pays a tenth more', async () => {
    const { pool } = await openPriority();
    const of = (n: number, priority: bigint) => {
      const verdict = account('ann', 1, 1, { priority });
      if (isRefusal(verdict)) throw new Error('the nonce is not used');
      return { ...transaction(n), verdict };
    };
    const outcomes = await pool.receive([of(1, 100n), of(2, 109n), of(3, 110n)]);
    expect(outcomes[1]).toMatchObject({ kind: 'replacement-underpriced', required: 110n });
    expect(outcomes[2]).toMatchObject({ kind: 'received' });
    expect(await pool.status(hash(1))).toMatchObject({ stage: 'Dropped', reason: 'replaced' });
    await pool.close();
  });

  it('outputs: the first spend stays, and who spends what another makes comes after it', async () => {
    const { pool } = await openPriority({}, utxoLimits);
    const of = (n: number, ...verdict: Parameters<typeof utxo>) => ({ ...transaction(n), verdict: utxo(...verdict) });
    const child = of(2, { confirmed: [], unconfirmed: ['1#0'] }, ['2#0']);
    expect(await pool.submit(child)).toMatchObject({ parked: true });
    const outcomes = await pool.receive([
      of(1, { confirmed: ['0#0'] }, ['1#0']),
      of(3, { confirmed: ['0#0'] }, ['3#0']),
    ]);
    expect(kinds(outcomes)).toEqual(['received', 'replacement-underpriced']);
    expect(numbers(await pool.reap())).toEqual([1, 2]);
    await pool.close();
  });

  it('outputs: a block whose transactions the pool never had spends and makes them too', async () => {
    const { pool } = await openPriority({}, utxoLimits);
    const of = (n: number, ...verdict: Parameters<typeof utxo>) => ({ ...transaction(n), verdict: utxo(...verdict) });
    await pool.receive([
      of(1, { confirmed: ['0#0'] }, ['1#0']),
      of(2, { confirmed: [], unconfirmed: ['9#0'] }, ['2#0']),
    ]);
    const provides = utxoTags(['0#0'], ['9#0']);
    await pool.confirm({ point: { slot: 1, hash: hash(1_000) }, seen: [], unseen: [], provides });
    expect(await pool.status(hash(1))).toMatchObject({ stage: 'Dropped', reason: 'conflict' });
    expect(numbers(await pool.reap())).toEqual([2]);
    await pool.close();
  });
});
