import { ephemeral } from 'mempool-ephemeral';
import { expect, test } from 'vitest';

const wrong = [Number.NaN, 2 ** 53, -1e300, -1, Number.POSITIVE_INFINITY, '5', 5n, undefined];

test.each((['fifo', 'priority'] as const).flatMap((ordering) => wrong.map((now) => ({ ordering, now }))))(
  'a $ordering pool whose clock says $now takes, lends and sweeps nothing, and goes on when the clock does',
  async ({ ordering, now }) => {
    let nowMs: unknown = 5;
    await using pool = await ephemeral.open({ ordering, now: () => nowMs as number });
    await pool.receive([{ hash: 'a1', payload: Buffer.of(1), payloadType: 0 }]);
    nowMs = now;
    const refused = { code: 'ERR_MEMPOOL_INVALID', details: { field: 'now' } };
    await expect(pool.receive([{ hash: 'a2', payload: Buffer.of(1), payloadType: 0 }])).rejects.toMatchObject(refused);
    await expect(pool.take({}, { owner: 'taker', claimMs: 1 })).rejects.toMatchObject(refused);
    await expect(pool.sweep()).rejects.toMatchObject(refused);
    expect(await pool.status(['a1', 'a2'])).toMatchObject([{ stage: 'Pending' }, { stage: 'Unknown' }]);
    nowMs = 5.5;
    expect(await pool.take({}, { owner: 'taker', claimMs: 1 })).toMatchObject({ untilMs: 6 });
  },
);
