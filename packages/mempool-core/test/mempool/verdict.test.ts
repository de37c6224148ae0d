import type { Mempool, OpenOptions, Ordering, ReceiveOutcome, Transaction, Validate, Verdict } from 'mempool-core';
import { poolState } from 'mempool-core/backend';
import { describe, expect, it } from 'vitest';
import { answered, block, hash, invalid, kinds, numbers, once, open, openPriority, pays, transaction } from './tap.ts';

/** The payload's first byte as priority; 66 is refused. */
function byByte() {
  const asked: number[] = [];
  const validate: Validate = ({ payload: [first = 0] }) => {
    asked.push(first);
    return first === 66 ? { code: 9, log: 'garbage', penalize: true } : { priority: BigInt(first) };
  };
  return { asked, validate };
}

/** A pool whose application refuses everything from a moment on. */
async function openRefusing<O extends Ordering>(ordering: O) {
  let isOpen = true;
  const validate = () => (isOpen ? {} : { code: 1, log: 'no', penalize: false });
  const opened = await open<O>({ keepInvalidMs: 0, validate }, { ordering } as OpenOptions<O>);
  const refuse = (): void => {
    isOpen = false;
  };
  return { ...opened, refuse, list: [transaction(1), transaction(2)] };
}

/** Uses as many other ids as a pool may have before it forgets one. */
async function forgetIds(store: Mempool): Promise<void> {
  for (let i = 0; i < 20_000; i++) await store.drop([hash(9)], 'failed', { operationId: `other ${i}` });
}

const garbage = (n = 66): Transaction => ({ ...transaction(66), hash: hash(n) });

describe('what the application says of a transaction', () => {
  it('is its place in the pool', async () => {
    const { pool } = await openPriority({ validate: byByte().validate });
    await Promise.all([3, 9, 5].map((n) => pool.submit(transaction(n))));
    expect((await pool.reap()).map(({ priority }) => priority)).toEqual([9n, 5n, 3n]);
  });

  it('may come with the transaction: then nobody is asked', async () => {
    const { asked, validate } = byByte();
    const { pool } = await openPriority({ validate });
    await pool.submit(pays(1, 100n));
    await pool.receive([pays(2, 50n), transaction(77)]);
    expect(asked).toEqual([77]);
    expect(numbers(await pool.reap())).toEqual([1, 77, 2]);
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
      { status: 'rejected', reason: invalid(`verdict.${field}`) },
      { status: 'fulfilled', value: { kind: 'received' } },
    ]);
  });

  it('takes nothing in where it is nothing', async () => {
    const { pool } = await openPriority({ validate: (() => undefined) as unknown as Validate });
    await expect(pool.submit(transaction(1))).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID' });
    expect((await pool.usage()).pending).toBe(0);
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
  });

  it.each(['fifo', 'priority'] as const)(
    'holds for the last block, not for its height, in a %s pool',
    async (ordering) => {
      const { asked, validate } = byByte();
      const { pool } = await (ordering === 'fifo' ? open({ validate }) : openPriority({ validate }));
      const applied = [block(1), block(2), block(3)] as const;
      await pool.confirm(applied[0]);
      await pool.confirm(applied[1]);
      for (const height of [2, 2, 5]) await pool.submit(garbage(), { height });
      expect(asked).toEqual([66]);
      await pool.rollback(applied[0].point);
      await pool.submit(garbage());
      await pool.confirm({ ...applied[2], point: { ...applied[2].point, slot: applied[1].point.slot } });
      await pool.submit(garbage());
      expect(asked).toEqual([66, 66, 66]);
    },
  );
});

describe('a transaction that the pool has', () => {
  it('is a duplicate without asking, also where this node refused it before', async () => {
    const { asked, validate } = byByte();
    const { pool, other } = await openPriority({ validate });
    await pool.submit(garbage());
    await other.receive([garbage()]);
    expect(await pool.submit(garbage())).toEqual({ kind: 'duplicate', hash: hash(66), stage: 'Pending' });
    expect(await pool.receive([garbage()])).toEqual([{ kind: 'duplicate', hash: hash(66), stage: 'Pending' }]);
    expect(asked).toEqual([66]);
  });

  it('gains every peer that sends it, without asking', async () => {
    const { asked, validate } = byByte();
    const { pool } = await openPriority({ validate });
    await pool.submit(transaction(1), { from: 'ann' });
    expect(await pool.submit(transaction(1), { from: 'bob' })).toMatchObject({ kind: 'duplicate' });
    await pool.receive([{ ...transaction(1), from: 'cy' }, transaction(2)], { from: 'dan' });
    expect(asked).toEqual([1, 2]);
    const { entries } = await poolState(pool);
    expect(entries.map(({ sources }) => sources)).toEqual([['ann', 'bob', 'cy'], ['dan']]);
  });

  it.each(['submit', 'receive'] as const)('and that leaves while it is sent again is asked about: %s', async (verb) => {
    const { asked, validate } = byByte();
    const { pool, other: store, before } = await openPriority({ validate });
    await pool.submit(transaction(5));
    before(
      'receive',
      once(async () => void (await store.drop([hash(5)], 'failed'))),
    );
    const from = 'ann';
    const outcome =
      verb === 'submit'
        ? await pool.submit(transaction(5), { from })
        : (await pool.receive([transaction(6), transaction(5)], { from }))[1];
    expect(outcome).toMatchObject({ kind: 'received', hash: hash(5) });
    expect(asked.filter((first) => first === 5)).toEqual([5, 5]);
    const [entry] = (await poolState(pool)).entries.filter((each) => each.hash === hash(5));
    expect(entry).toMatchObject({ priority: 5n, provides: [], sources: ['ann'] });
  });

  it.each(['submit', 'receive'] as const)(
    'and that leaves a fifo pool at that moment is not received unasked: %s',
    async (verb) => {
      const { pool, other: store, before, refuse } = await openRefusing('fifo');
      await pool.submit(transaction(1));
      refuse();
      before(
        'receive',
        once(async () => void (await store.drop([hash(1)], 'failed'))),
      );
      const from = 'ann';
      const outcome =
        verb === 'submit'
          ? await pool.submit(transaction(1), { from })
          : (await pool.receive([transaction(1)], { from }))[0];
      expect(outcome).toMatchObject({ kind: 'duplicate', hash: hash(1) });
      expect(await pool.usage()).toMatchObject({ lastSeq: 1 });
    },
  );
});

describe('a call that is repeated with its operation id (X2)', () => {
  it.each(['fifo', 'priority'] as const)(
    'is answered as before when the pool has dropped what came, %s',
    async (ordering) => {
      const { pool, list, refuse } = await openRefusing(ordering);
      const submitted = await pool.submit(transaction(1), { operationId: 'one' });
      const received = await pool.receive(list, { operationId: 'two' });
      await pool.drop([hash(1)], 'failed');
      await pool.drop([hash(2)], 'failed');
      refuse();
      expect(await pool.submit(transaction(1), { operationId: 'one' })).toEqual(submitted);
      expect(await pool.receive(list, { operationId: 'two' })).toEqual(received);
      expect((await pool.usage()).pending).toBe(0);
      await expect(pool.submit(transaction(2), { operationId: 'one' })).rejects.toMatchObject(invalid('operationId'));
      expect(await pool.submit(transaction(2), { operationId: 'three' })).toMatchObject({ kind: 'refused', code: 1 });
    },
  );

  it.each([
    ['fifo', 'submit', 1, 'refused'],
    ['fifo', 'receive', 2, 'refused'],
    ['priority', 'submit', 2, 'received'],
    ['priority', 'receive', 1, 'refused'],
  ] as const)(
    'admits nothing that is refused if the id is forgotten: %s pool, %s, before call %i of the store',
    async (ordering, verb, forgotten, told) => {
      const { other: store, pool, list, refuse, before } = await openRefusing(ordering);
      const options = { operationId: 'one' };
      const call = async (): Promise<ReceiveOutcome[]> =>
        verb === 'submit' ? [await pool.submit(transaction(1), options)] : pool.receive(list, options);
      await call();
      for (const n of [1, 2]) await pool.drop([hash(n)], 'failed');
      refuse();
      let calls = 0;
      before('receive', async () => {
        calls += 1;
        if (calls === forgotten) await forgetIds(store);
      });
      expect(new Set(kinds(await call()))).toEqual(new Set([told]));
      expect((await pool.usage()).pending).toBe(0);
    },
  );

  it('is validated again if all of it was refused: nothing was recorded', async () => {
    const { validate } = byByte();
    const { pool } = await openPriority({ validate });
    expect(await pool.submit(garbage(1), { operationId: 'one' })).toMatchObject({ kind: 'refused', code: 9 });
    expect(await pool.submit(transaction(1), { operationId: 'one' })).toMatchObject({ kind: 'received' });
  });
});

describe('a transaction that several peers send at once', () => {
  it('is asked about once, and all of them are noted', async () => {
    const { asked, validate } = byByte();
    const { pool } = await openPriority({ validate });
    const sent = ['ann', 'bob', 'cy'].map((from) => pool.submit(transaction(5), { from }));
    const listed = pool.receive([transaction(5), garbage(), garbage()], { from: 'dan' });
    expect(kinds(await Promise.all(sent))).toEqual(['received', 'duplicate', 'duplicate']);
    expect(kinds(await listed)).toEqual(['duplicate', 'refused', 'refused']);
    expect(asked).toEqual([5, 66]);
    const [entry] = (await poolState(pool)).entries;
    expect(entry?.sources.toSorted()).toEqual(['ann', 'bob', 'cy', 'dan']);
  });

  it('is asked about again for the others where the first one gives up', async () => {
    const stop = new AbortController();
    const reason = new Error('failed');
    const begun = Promise.withResolvers<void>();
    let asked = 0;
    const { pool } = await openPriority({
      validate: async (_, { signal }) => {
        asked += 1;
        begun.resolve();
        if (signal !== undefined) await new Promise((_resolve, reject) => signal.addEventListener('abort', reject));
        return { priority: 3n };
      },
    });
    const first = pool.submit(transaction(1), { signal: stop.signal });
    await begun.promise;
    const second = pool.submit(transaction(1));
    expect(await answered(second)).toBe(false);
    stop.abort(reason);
    await expect(first).rejects.toBe(reason);
    expect(await second).toMatchObject({ kind: 'received' });
    expect(asked).toBe(2);
  });
});

describe('calls of one turn', () => {
  it('never share a store call at different heights, and arrive in the order made; at one height they do', async () => {
    const { pool, calls } = await openPriority();
    const heights = [7, 7, 8, 8, 7];
    const outcomes = await Promise.all(heights.map((height, i) => pool.submit(pays(i + 1, 0n), { height })));
    expect(outcomes.map((outcome) => (outcome.kind === 'received' ? outcome.seq : 0))).toEqual([1, 2, 3, 4, 5]);
    expect(calls.filter((call) => call.startsWith('receive'))).toEqual(['receive 2', 'receive 2', 'receive 1']);
    const checked = (await poolState(pool)).entries.map(({ admittedHeight }) => admittedHeight);
    expect(checked).toEqual(heights);
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
  });
});
