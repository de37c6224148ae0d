import assert from 'node:assert/strict';
import { readCursor } from 'mempool-core/backend';
import type { ConformanceCase } from '../../case/case.ts';
import { account, eachOnPriorityPool, ladder, type Scene } from '../../scenario/priority.ts';

/** The next gossip for a peer from its cursor on; the cursor moves with it. */
class Peer {
  readonly #scene: Scene;
  readonly #limit: number;
  #cursor: string | undefined;

  constructor(scene: Scene, limit = 1_000) {
    this.#scene = scene;
    this.#limit = limit;
  }

  async fetch(): Promise<string[]> {
    const { items, next } = await this.#scene.store.since({ after: this.#cursor, limit: this.#limit });
    const [before, now] = [numberIn(this.#cursor), numberIn(next)];
    assert.ok(items.length === 0 ? now >= before : now > before);
    this.#cursor = next;
    return this.#scene.names(items);
  }
}

/** The number in a gossip cursor. */
function numberIn(cursor = 'origin'): number {
  return readCursor('gossip', cursor)?.number ?? assert.fail(`${cursor} is no cursor`);
}

export const gossipCases: readonly ConformanceCase[] = eachOnPriorityPool({
  'P10/order-of-readiness: gossip is in the order of becoming ready, whatever the priorities': async (scene) => {
    await scene.fill(ladder([1, 9, 5]));
    assert.deepEqual(await scene.gossip(), ['t0', 't1', 't2']);
  },
  'P10/item: an item has its payload, type, seq, bytes, gas, priority and number': async (scene) => {
    await scene.fill({ a: {}, bb: { priority: 7n, gas: 3, bytes: 4 } });
    const [, item] = (await scene.store.since()).items;
    const { payload, gossipSeq, ...rest } = item ?? assert.fail('no item');
    const due = { hash: scene.hash('bb'), seq: 2, bytes: 4, gas: 3, priority: 7n, payloadType: 0 };
    assert.deepEqual([rest, [...(payload ?? [])]], [due, [2, 2, 2, 2]]);
    assert.deepEqual(gossipSeq, (await scene.entry('bb')).gossipSeq);
  },
  'P10/hashes-only: a query for hashes gets no payloads': async (scene) => {
    await scene.fill({ a: { gas: 5 } });
    const { items, next } = await scene.store.since({ hashesOnly: true });
    assert.deepEqual(
      items.map(({ hash, payload, payloadType, gas }) => [hash, payload, payloadType, gas]),
      [[scene.hash('a'), null, null, 5]],
    );
    assert.equal(numberIn(next), (await scene.entry('a')).gossipSeq);
  },
  'P10/promoted-ahead: one that becomes ready later is ahead of every cursor': async (scene) => {
    const peer = new Peer(scene);
    await scene.fill({ child: { requires: ['p'] }, other: {} });
    assert.deepEqual(await peer.fetch(), ['other']);
    await scene.fill({ p: { provides: ['p'] } });
    assert.deepEqual(await peer.fetch(), ['p', 'child']);
  },
  'P10/promoted-in-order: transactions that become ready in one call go by depth, then by seq': async (scene) => {
    await scene.fill({ c: account('s', 3), b: account('s', 2), x: { requires: ['s:1'] }, a: account('s', 1) });
    await scene.fill({ root: account('s', 0) });
    assert.deepEqual(await scene.gossip(), ['root', 'a', 'b', 'x', 'c']);
  },
  'P10/again-ready: one that was parked in between is gossiped again': async (scene) => {
    const peer = new Peer(scene);
    await scene.fill({ p: { provides: ['p'] }, child: { requires: ['p'] } });
    assert.deepEqual(await peer.fetch(), ['p', 'child']);
    await scene.drop('p');
    assert.deepEqual(await peer.fetch(), []);
    await scene.fill({ q: { provides: ['p'] } });
    assert.deepEqual(await peer.fetch(), ['q', 'child']);
  },
  'P10/stages: gossip covers unconfirmed transactions in flight too': async (scene) => {
    await scene.fill({ a: {}, b: {}, c: {}, d: {}, e: { requires: ['missing'] } });
    await scene.mark('b', 'c');
    await scene.acknowledge('c');
    await scene.block(1, { seen: ['d'] });
    assert.deepEqual(await scene.gossip(), ['a', 'b', 'c']);
  },
  'P10/returned-keeps-number: one that was released keeps its number: peers have it already': async (scene) => {
    await scene.fill(ladder([1, 2]));
    await scene.mark('t0');
    await scene.release('t0');
    assert.deepEqual(await scene.gossip(), ['t0', 't1']);
  },
  'P10/returned-from-chain: one that returned from the chain is gossiped again': async (scene) => {
    const peer = new Peer(scene);
    await scene.fill(ladder([1, 2]));
    await scene.block(1, { seen: ['t0'] });
    await peer.fetch();
    await scene.store.rollback('origin');
    assert.deepEqual(await peer.fetch(), ['t0']);
  },
  'P10/new-life: a new life is gossiped again': async (scene) => {
    const peer = new Peer(scene);
    await scene.fill(ladder([1, 2]));
    await peer.fetch();
    await scene.drop('t0');
    await scene.fill({ t0: {} });
    assert.deepEqual(await peer.fetch(), ['t0']);
  },
  'P10/never-back: nothing goes back to a peer that sent it, first or again': async (scene) => {
    await scene.fill({ a: { from: 'one' }, b: { from: 'two' }, c: {} });
    await scene.add('b', { from: 'one' });
    assert.deepEqual(await scene.gossip('origin', 'one'), ['c']);
    assert.deepEqual(await scene.gossip('origin', 'two'), ['a', 'c']);
    assert.deepEqual(await scene.gossip('origin', 'three'), ['a', 'b', 'c']);
  },
  'P10/not-to-propagate: one that may not propagate is in the pool, but in no gossip': async (scene) => {
    await scene.fill({ a: { propagate: false }, b: {} });
    assert.deepEqual([await scene.gossip(), await scene.ready()], [['b'], ['a', 'b']]);
  },
  'P10/may-propagate-again: one that may propagate by a new verdict is gossiped to all, once': async (scene) => {
    const peer = new Peer(scene);
    await scene.fill({ a: { propagate: false }, b: {} });
    const answer = (version: number, propagate: boolean) =>
      scene.store.revise([{ hash: scene.hash('a'), version, answer: { propagate, priority: BigInt(version) } }]);
    assert.deepEqual(await peer.fetch(), ['b']);
    await answer(1, true);
    assert.deepEqual(await peer.fetch(), ['a']);
    await answer(2, true);
    assert.deepEqual(await peer.fetch(), []);
    await answer(3, false);
    assert.deepEqual([await peer.fetch(), await scene.gossip()], [[], ['b']]);
    await answer(4, true);
    assert.deepEqual(await peer.fetch(), ['a']);
  },
  'P10/next-past-filtered: the next cursor is past filtered transactions': async (scene) => {
    await scene.fill({ a: {}, b: { from: 'one' }, c: { propagate: false }, d: { from: 'one' } });
    const { items, next } = await scene.store.since({ except: 'one' });
    assert.deepEqual([scene.names(items), numberIn(next)], [['a'], (await scene.entry('d')).gossipSeq]);
    const rest = await scene.store.since({ after: next, except: 'one' });
    assert.deepEqual(rest, { items: [], next });
  },
  'P10/limit-past-filtered: filtered transactions do not count for the limit of a page': async (scene) => {
    await scene.fill({ a: { from: 'one' }, b: { propagate: false }, c: {}, d: {} });
    const { items, next } = await scene.store.since({ except: 'one', limit: 1 });
    assert.deepEqual([scene.names(items), numberIn(next)], [['c'], (await scene.entry('c')).gossipSeq]);
  },
  'P10/acknowledged-keeps-number: an Acknowledged one keeps its number when it is released': async (scene) => {
    await scene.fill(ladder([1, 2, 3]));
    await scene.mark('t0', 't1');
    await scene.acknowledge('t0', 't1');
    await scene.release('t0');
    await scene.block(1, { unseen: ['t1'] });
    assert.deepEqual(await scene.gossip(), ['t0', 't1', 't2']);
  },
  'P10/empty: an empty page keeps the cursor': async (scene) => {
    const first = await scene.cursor('gossip', 0);
    assert.deepEqual(await scene.store.since(), { items: [], next: first });
    await scene.fill({ a: {} });
    const after = await scene.cursor('gossip', 70);
    assert.deepEqual(await scene.store.since({ after }), { items: [], next: after });
  },
  'P10/pages: pages join to the whole, each transaction once': async (scene) => {
    await scene.addAll(ladder(Array<number>(23).fill(1)));
    const peer = new Peer(scene, 5);
    const told: string[] = [];
    for (let page = await peer.fetch(); page.length > 0; page = await peer.fetch()) {
      assert.ok(page.length <= 5);
      told.push(...page);
    }
    assert.deepEqual(told, await scene.gossip());
    assert.equal(new Set(told).size, 23);
  },
  'P10/large-pages: a page ends at 8 MiB of payloads, and no item is left out': async (scene) => {
    for (let i = 0; i < 10; i++) await scene.add(`n${i}`, { bytes: 1_048_576 });
    const peer = new Peer(scene);
    const [first, second, third] = [await peer.fetch(), await peer.fetch(), await peer.fetch()];
    assert.ok(first.length > 0 && first.length <= 8);
    assert.equal((await scene.store.since({ hashesOnly: true })).items.length, 10);
    assert.deepEqual([...first, ...second, ...third].length, 10);
  },
  'P10/following: a peer with one cursor is told of everything that becomes ready': async (scene, context) => {
    const peer = new Peer(scene, 7);
    const { random } = context;
    const told = new Set<string>();
    const arrivals = Array.from({ length: 60 }, (_, i) => ({ sender: `s${i % 6}`, nonce: Math.floor(i / 6) }));
    while (arrivals.length > 0) {
      const [next] = arrivals.splice(random.below(arrivals.length), 1);
      if (next) await scene.add(`${next.sender}-${next.nonce}`, account(next.sender, next.nonce));
      if (random.below(3) === 0) for (const name of await peer.fetch()) told.add(name);
    }
    for (let page = await peer.fetch(); page.length > 0; page = await peer.fetch())
      for (const name of page) told.add(name);
    assert.deepEqual([...told].sort(), (await scene.ready()).sort());
    assert.equal(told.size, 60);
  },
});
