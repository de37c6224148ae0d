import { Mempool, toJsonValue } from 'mempool-core';
import { poolState } from 'mempool-core/backend';
import { ephemeral } from 'mempool-ephemeral';
import { expect, it } from 'vitest';
import { block, hash, pays, transaction } from '../mempool/tap.ts';

it('writes a big number as a string, bytes as base64 and no limit as "never"', () => {
  const bytes = new Uint8Array([9, 1, 2, 3, 9]).subarray(1, 4);
  const answer = { required: 2n ** 70n, payload: bytes, untilMs: Infinity, none: null, is: false, left: undefined };
  expect(toJsonValue([answer, 'text', 7])).toEqual([
    { required: '1180591620717411303424', payload: 'AQID', untilMs: 'never', none: null, is: false },
    'text',
    7,
  ]);
});

it('writes every answer of a pool so that JSON gives it back', async () => {
  await using pool = new Mempool(await ephemeral.open({ ordering: 'priority', maxBytes: Infinity }));
  const events = (await pool.subscribe())[Symbol.asyncIterator]();
  await pool.submit(pays(1, 7n));
  await pool.submit(pays(2, -(2n ** 63n)));
  const answers = {
    submitted: await pool.submit(transaction(1)),
    status: await pool.status(hash(1)),
    pending: await pool.peekPending(),
    reaped: await pool.reap(),
    best: await pool.best(),
    since: await pool.since(),
    usage: await pool.usage(),
    limits: await pool.setLimits({}),
    dumped: await poolState(pool.store),
    taken: await pool.take({ maxTxs: 1 }, { owner: 'ann', claimMs: 1_000 }),
    applied: await pool.confirm(block(1, 1), { finalizeThreshold: 1 }),
    logged: await pool.dumpFinalized(),
    tip: await pool.tip({ points: 2 }),
    event: (await events.next()).value,
  };
  const json = toJsonValue(answers);
  expect(JSON.parse(JSON.stringify(json))).toEqual(json);
  expect(json).toMatchObject({
    reaped: [{ priority: '7' }, { priority: '-9223372036854775808' }],
    usage: { load: { headroom: { bytes: 'never' } } },
    since: { items: [{ payload: 'AQEB' }, { payload: 'AgIC' }] },
    applied: { kind: 'applied', finalized: 1 },
  });
});
