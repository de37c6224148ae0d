import { poolState } from 'mempool-core/backend';
import { ephemeral } from 'mempool-ephemeral';
import { expect, test } from 'vitest';

test.each([Number.NaN, 2 ** 53, -1e300, Number.POSITIVE_INFINITY])(
  'a pool whose clock says %s takes nothing in that it could not read back, and goes on when the clock does',
  async (wrong) => {
    let nowMs = wrong;
    await using store = await ephemeral.open({ ordering: 'priority', now: () => nowMs });
    const transaction = { hash: 'a1', payload: Buffer.of(1), payloadType: 0 };
    const refused = { code: 'ERR_MEMPOOL_INVALID' };
    await expect(store.receive([transaction])).rejects.toMatchObject(refused);
    await expect(store.take({}, { owner: 'taker', claimMs: 1 })).rejects.toMatchObject(refused);
    expect(await store.checkStatus(['a1'])).toMatchObject([{ stage: 'Unknown' }]);
    nowMs = 5.5;
    expect(await store.receive([transaction])).toMatchObject([{ kind: 'received', seq: 1 }]);
    const { entries } = await poolState(store);
    expect(entries).toMatchObject([{ hash: 'a1', admittedAt: 5 }]);
  },
);

test.each([Number.NaN, 2 ** 53, -1, Number.POSITIVE_INFINITY, '5', 5n, undefined])(
  'a pool in order of arrival whose clock says %s takes, lends and sweeps nothing, and goes on when the clock does',
  async (wrong) => {
    let nowMs: unknown = 5;
    await using store = await ephemeral.open({ now: () => nowMs as number });
    await store.receive([{ hash: 'a1', payload: Buffer.of(1), payloadType: 0 }]);
    nowMs = wrong;
    const refused = { code: 'ERR_MEMPOOL_INVALID', details: { field: 'now' } };
    await expect(store.receive([{ hash: 'a2', payload: Buffer.of(1), payloadType: 0 }])).rejects.toMatchObject(refused);
    await expect(store.take({}, { owner: 'taker', claimMs: 1 })).rejects.toMatchObject(refused);
    await expect(store.sweep()).rejects.toMatchObject(refused);
    expect(await store.checkStatus(['a1', 'a2'])).toMatchObject([{ stage: 'Pending' }, { stage: 'Unknown' }]);
    nowMs = 5.5;
    expect(await store.take({}, { owner: 'taker', claimMs: 1 })).toMatchObject({ untilMs: 6 });
  },
);
