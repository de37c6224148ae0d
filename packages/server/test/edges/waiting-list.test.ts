import { setImmediate } from 'node:timers/promises';
import type { Mempool, Verdict } from 'mempool-core';
import { openMempool } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { Random, seed } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { WaitingList } from '../../src/edges/waiting-list.ts';
import { EventHub, poolSource } from '../../src/http/event-hub.ts';
import { clockedPool, RandomLife } from '../random-pool.ts';

function listOf(pool: Mempool): WaitingList {
  const stopping = new AbortController();
  onTestFinished(async () => {
    stopping.abort();
    await pool.close();
  });
  return WaitingList.of({ pool, hub: new EventHub(poolSource(pool), stopping.signal) });
}

/** What the store's own pages say. */
async function waitingIn(pool: Mempool): Promise<object> {
  const found = [];
  for await (const each of pool.pending()) found.push(each);
  if (pool.ordering === 'priority') found.push(...(await pool.peekParked({ limit: 1_000 })).transactions);
  for await (const each of pool.inflight()) if (each.stage !== 'Confirmed') found.push(each);
  const inOrder = found.sort((a, b) => a.seq - b.seq);
  return {
    hashes: inOrder.map(({ hash }) => hash),
    bytes: inOrder.reduce((sum, each) => sum + each.payload.length, 0),
  };
}

async function told(list: WaitingList): Promise<object> {
  const order = await list.weighed();
  const hashes = order.page(0, order.count).map(({ hash }) => hash);
  expect(order.page(0, order.count, 'desc').map(({ hash }) => hash)).toEqual(hashes.toReversed());
  expect(hashes).toHaveLength(order.count);
  return { hashes, bytes: order.bytes };
}

test.each(['fifo', 'priority'] as const)(
  `the list is what the store holds, whatever happens in a %s pool (seed ${seed})`,
  async (ordering) => {
    const random = new Random(seed);
    const clock = { now: 1_000 };
    const pool = await clockedPool(ordering, clock);
    const list = listOf(pool);
    const life = new RandomLife(pool, random, clock);
    for (let round = 0; round < 40; round++) {
      for (let i = random.below(20); i > 0; i--) await life.step();
      expect(await told(list)).toEqual(await waitingIn(pool));
    }
  },
);

test.each([0, 1])(
  'parked ones are in it, also what is parked or becomes ready while it is read (%i)',
  async (first) => {
    const pool = await clockedPool('priority', { now: 1_000 });
    const list = listOf(pool);
    const submit = (hash: string, verdict: Verdict) => pool.submit({ hash, payload: Buffer.alloc(7), verdict });
    const numbers = Array.from({ length: 40 }, (_, i) => i.toString(16).padStart(62, '0'));
    for (const [i, number] of numbers.entries()) {
      if (i % 2 === first) await submit(`aa${number}`, { provides: [number] });
      await submit(`bb${number}`, { requires: [number] });
    }
    const reading = told(list);
    for (const [i, number] of numbers.slice(0, 30).entries()) {
      if (i % 2 === first) await pool.drop([`aa${number}`], 'failed');
      else await submit(`aa${number}`, { provides: [number] });
      await setImmediate();
    }
    await reading;
    const all = await told(list);
    expect(all).toEqual(await waitingIn(pool));
    expect(all).toMatchObject({ bytes: 7 * (40 + 5 + 15) });
  },
);

test(`it misses nothing that happens while it is read for the first time (seed ${seed})`, async () => {
  const random = new Random(seed);
  for (let round = 0; round < 10; round++) {
    const clock = { now: 1_000 };
    const pool = await clockedPool('fifo', clock);
    const life = new RandomLife(pool, random, clock);
    for (let i = 0; i < 150; i++) await life.step();
    const list = listOf(pool);
    const reading = told(list);
    for (let i = 0; i < 60; i++) await life.step();
    await reading;
    expect(await told(list)).toEqual(await waitingIn(pool));
  }
});

test('it is read anew when events were lost, and sees what another process did', async () => {
  const path = `${scratchFolder()}/pool.sqlite`;
  const open = () => openMempool({ backend: 'sqlite', path, maxEvents: 20 }, { sqlite });
  const [pool, other] = [await open(), await open()];
  onTestFinished(() => other.close());
  const list = listOf(pool);
  const submit = (on: Mempool, i: number) =>
    on.submit({ hash: i.toString(16).padStart(64, '0'), payload: Buffer.alloc(i) });
  await submit(pool, 1);
  expect(await told(list)).toEqual(await waitingIn(pool));
  for (let i = 2; i < 100; i++) await submit(other, i);
  expect(await told(list)).toEqual(await waitingIn(pool));
  await submit(other, 100);
  await setImmediate();
  expect(await told(list)).toEqual(await waitingIn(pool));
});
