import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect, inject, test } from 'vitest';
import { hashOf } from '../chain.ts';
import { openPool } from '../own-server.ts';
import { mirrorNode } from './mirror-node.ts';
import { numbers, priced } from './priced.ts';
import { allSaid, said, start } from './process.ts';

interface SaidLot {
  readonly untilMs: number;
  readonly hashes: readonly string[];
}

/** To start eight processes may take a minute where much else is started. */
const timeout = 120_000;

async function pool() {
  const [url, name] = [inject('redisUrl'), randomUUID()];
  const { store } = await openPool({ url, pool: name, ordering: 'priority' });
  return { url, name, store };
}

test('N1: eight processes that take from one pool at once share it out, each transaction once', {
  timeout,
}, async () => {
  const { url, name, store } = await pool();
  const count = 800;
  await store.receive(numbers(count).map((n) => priced(n)));
  const takers = numbers(8).map((n) => start('./taker.ts', [url, name, `taker-${n}`, 600_000, 3]));
  const lots = await Promise.all(takers.map((taker) => allSaid<SaidLot>(taker)));
  const taken = lots.flat().flatMap(({ hashes }) => hashes);
  expect(taken.toSorted()).toEqual(numbers(count).map(hashOf).toSorted());
  expect(await store.usage()).toMatchObject({ pending: 0, propagated: count, lastEventSeq: 2 * count });
  const node = mirrorNode(url, name);
  expect(await node.remembered()).toEqual(await node.stored());
});

test('X1: the lots of a taker that was killed come back when their leases have ended by the server’s clock, not before', {
  timeout,
}, async () => {
  const { url, name, store } = await pool();
  const count = 3_000;
  for (let first = 1; first <= count; first += 1_000)
    await store.receive(numbers(1_000, first).map((n) => priced(n, { priority: BigInt(n) })));
  const leaseMs = 2_000;
  const taker = start('./taker.ts', [url, name, 'killed', leaseMs, 7]);
  const gone = once(taker, 'exit');
  const lots: SaidLot[] = [];
  for await (const lot of said<SaidLot>(taker)) if (lots.push(lot) === 3) break;
  const begun = performance.now();
  taker.kill('SIGKILL');
  await gone;
  const { propagated } = await store.usage();
  assert(propagated >= 21 && propagated < count && propagated % 7 === 0, String(propagated));
  expect((await store.sweep({ now: lots[0]?.untilMs })).returned).toEqual([]);
  let returned = 0;
  while (returned < propagated) {
    const swept = await store.sweep();
    returned += swept.returned.length;
    assert(swept.returned.length % 7 === 0 || swept.more, 'half a lot came back');
    assert(performance.now() - begun < 60_000, `${returned} of ${propagated} are back`);
  }
  assert.equal(returned, propagated);
  expect(await store.usage()).toMatchObject({ pending: count, propagated: 0 });
  const best = await store.reap({ maxTxs: 30 });
  expect(best.map(({ hash }) => hash)).toEqual(
    numbers(30, count - 29)
      .reverse()
      .map(hashOf),
  );
});

test('N1: processes that receive the same transactions at once receive each once, and agree on the pool', {
  timeout,
}, async () => {
  const { url, name, store } = await pool();
  const count = 300;
  const admitters = numbers(4).map((n) => start('./admitter.ts', [url, name, n * 71, count]));
  const received = (await Promise.all(admitters.map((each) => allSaid<string[]>(each)))).flat(2);
  expect(received.toSorted()).toEqual(numbers(count).map(hashOf).toSorted());
  expect(await store.usage()).toMatchObject({ pending: count, lastSeq: count, lastEventSeq: count });
  const node = mirrorNode(url, name);
  expect(await node.remembered()).toEqual(await node.stored());
});
