import assert from 'node:assert/strict';
import type { Floor, StoreEvent } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { apart, eachRanked, eachRow } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { startMs } from '../../scenario/on-pool.ts';
import { never } from '../../scenario/pool.ts';
import {
  account,
  type Draft,
  type Drafts,
  eachOnPriorityPool,
  ladder,
  minPriority,
  openScene,
  type Refused,
  type Scene,
} from '../../scenario/priority.ts';
import { refusals } from '../../scenario/priority-refusals.ts';

/** Drafts that break two rules at once: the refusal names the first in the order of the rules. */
async function tells(scene: Scene, draft: Parameters<Scene['refuses']>[1], due: Refused): Promise<void> {
  await scene.refuses('new', draft, due);
}

async function floorOf(scene: Scene): Promise<Floor> {
  return (await scene.load()).floor;
}

const defaults = {
  maxTxs: 100_000,
  maxBytes: 268_435_456,
  maxTxGas: Number.POSITIVE_INFINITY,
  maxPerSender: 64,
  maxParked: 10_000,
  maxProtected: 1_000,
  maxAncestors: 100,
  maxDescendants: 1_000,
  maxEvictions: 100,
  replacementBump: 10,
  ttlMs: Number.POSITIVE_INFINITY,
  ttlBlocks: Number.POSITIVE_INFINITY,
  parkedTtlMs: 600_000,
  minPriority,
  eviction: 'lowest',
} as const;

function raise(scene: Scene, floor: bigint): Promise<unknown> {
  return scene.store.setLimits({ minPriority: floor });
}

const tipped = (most: number | bigint, tip: number | bigint, more: Draft = {}): Draft => ({
  maxPriority: BigInt(most),
  tip: BigInt(tip),
  ...more,
});

const plain = (priority: number, more: Draft = {}): Draft => ({ priority: BigInt(priority), ...more });

/** What the ready ones pay, best first. */
async function paid(scene: Scene): Promise<bigint[]> {
  return (await scene.store.reap()).map(({ priority }) => priority);
}

type Outcome = Awaited<ReturnType<TestedPool['revise']>>[number];

type Answer = Parameters<TestedPool['revise']>[0][number]['answer'];

async function revise(scene: Scene, name: string, version: number, answer: Answer, height = 0): Promise<Outcome> {
  const [outcome] = await scene.store.revise([{ hash: scene.hash(name), version, answer }], { height });
  return outcome ?? assert.fail('no outcome');
}

async function staleNames(scene: Scene, height: number, limit = 100): Promise<string[]> {
  return scene.names(await scene.store.stale({ height, limit }));
}

type Options = Parameters<TestedPool['take']>[1];

const mine: Options = { owner: 'me', claimMs: 1_000 };

async function takeNames(scene: Scene, maxTxs: number, options: Options = mine): Promise<string[]> {
  return scene.names((await scene.store.take({ maxTxs }, options)).transactions);
}

const parent = { provides: ['p'] };

const child = { requires: ['p'], provides: ['c'] };

/** The events of a call in a few words, with names in place of hashes. */
async function told(scene: Scene, run: () => Promise<unknown>): Promise<string[]> {
  return (await scene.eventsOf(run)).map((event) => words(scene, event));
}

function words(scene: Scene, event: StoreEvent): string {
  if (event.kind === 'block') return event.action;
  const [name] = scene.names([event]);
  if (event.kind === 'transaction') return `${name} ${event.stage}`;
  return event.kind === 'ready' ? `${name} ready` : `${name} parked, ${event.reason}`;
}

const family: Drafts = {
  parent: { priority: 9n, provides: ['p'] },
  child: { priority: 8n, requires: ['p'], provides: ['c'] },
  grandchild: { priority: 7n, requires: ['c'] },
  other: { priority: 2n },
};

const ownPools = eachRanked({
  'P3/refused: each refusal has its own answer, also for the same hash later in the call, and changes nothing': (
    context,
  ) =>
    eachRow(
      refusals,
      ({ id }) => id,
      async ({ limits, arrange, draft, refused }) => {
        const scene = await openScene(apart(context), limits);
        await arrange(scene);
        await scene.refuses('new', draft, refused(scene));
        const batch = [scene.submission('new', draft), scene.submission('new', { priority: 5n })];
        const due = { ...refused(scene), hash: scene.hash('new') };
        await scene.unchanged(async () => assert.deepEqual(await scene.store.receive(batch), [due, due]));
      },
    ),
  'P3/first-that-fits: of several refusals that apply, the first in the rules’ order is told': async (context) => {
    const scene = await openScene(context, { maxTxGas: 10, maxPerSender: 1, maxAncestors: 1, maxParked: 0 });
    await scene.fill({ a: { provides: ['a'], sender: 's' }, b: { provides: ['b'], requires: ['a'] } });
    await scene.fill({ x: { provides: ['x'], priority: 7n } });
    const both = { gas: 11, provides: ['x'], requires: ['x'], sender: 's' };
    await tells(scene, both, { kind: 'limit', limit: 'maxTxGas' });
    await tells(scene, { ...both, gas: 10 }, { kind: 'conflict', with: scene.hash('x') });
    await tells(scene, { ...both, gas: 10, requires: ['a'] }, { kind: 'replacement-underpriced', required: 8n });
    await tells(scene, { ...both, gas: 0, provides: ['y'], requires: ['y'] }, { kind: 'sender-limit', limit: 1 });
    await tells(scene, { provides: ['y'], requires: ['y', 'b'] }, { kind: 'cycle' });
    await tells(scene, { requires: ['missing', 'b'] }, { kind: 'limit', limit: 'maxAncestors' });
    await tells(scene, { requires: ['missing'] }, { kind: 'limit', limit: 'maxParked' });
  },
  'P3/bounds-in-order: of sum, ancestors, descendants and parked, the refusal names the first': async (context) => {
    const scene = await openScene(context, { maxParked: 2, maxDescendants: 1, maxAncestors: 1, eviction: 'none' });
    await scene.fill({
      a: { provides: ['a'] },
      b: { provides: ['b'] },
      c: { requires: ['a'] },
      d: { requires: ['b'] },
    });
    const all = { provides: ['a', 'b'], priority: 1n, bytes: 1 };
    await scene.fill({ top: { provides: ['t'] } });
    await tells(scene, { ...all, requires: ['t'], bytes: 0 }, { kind: 'replacement-underpriced', required: 2n ** 63n });
    await tells(scene, { ...all, requires: ['t'] }, { kind: 'limit', limit: 'maxAncestors' });
    await tells(scene, all, { kind: 'limit', limit: 'maxDescendants' });
    await scene.fill({ e: { requires: ['x'] }, f: { requires: ['y'] } });
    await tells(scene, { requires: ['x'] }, { kind: 'limit', limit: 'maxDescendants' });
    await tells(scene, { requires: ['z'] }, { kind: 'limit', limit: 'maxParked' });
  },
  'P5/told: evicted ones are Dropped with reason "evicted", in log and events, by seq': async (context) => {
    const scene = await openScene(context, { maxBytes: 60 });
    await scene.fill(ladder([2, 1, 3]));
    const events = await scene.eventsOf(() => scene.add('new', { priority: 9n, bytes: 40 }));
    assert.deepEqual(
      events.map((event) => event.kind === 'transaction' && [event.hash, event.stage, event.reason]),
      [
        [scene.hash('t0'), 'Dropped', 'evicted'],
        [scene.hash('t1'), 'Dropped', 'evicted'],
        [scene.hash('new'), 'Pending', null],
      ],
    );
    assert.deepEqual(scene.names((await scene.store.dumpFinalized()).entries), ['t0', 't1']);
  },
  'P5/floor-is-true: one byte at the floor is received, a priority below it is refused': async (context) => {
    const scene = await openScene(context, { maxTxs: 12, maxBytes: 200 });
    for (let i = 0; i < 60; i++) {
      const floor = await floorOf(scene);
      assert.notEqual(floor.kind, 'closed');
      const least = floor.kind === 'at-least' ? floor.priority : 0n;
      if (floor.kind === 'at-least')
        await scene.refuses('low', { priority: least - 1n, bytes: 1 }, { kind: 'full', floor });
      const priority = BigInt(context.random.below(1_000)) + least;
      await scene.add(`n${i}`, { priority, bytes: 1 + context.random.below(40) });
    }
    const floor = await floorOf(scene);
    const priority = floor.kind === 'at-least' ? floor.priority : minPriority;
    assert.equal((await scene.add('exact', { priority, bytes: 1 })).kind, 'received');
  },
  'P6/retention-apart: limits leave the log and the events as they are': async (context) => {
    const scene = await openScene(context, { maxTxs: 1 });
    for (let i = 0; i < 6; i++) await scene.fill({ [`n${i}`]: { priority: BigInt(i) } });
    const { logged, lastEventSeq } = await scene.store.usage();
    assert.deepEqual([logged, lastEventSeq], [5, 11]);
  },
  'P29/pays: one with a tip pays the floor and its tip, but not more than it may': async (context) => {
    const scene = await openScene(context, { minPriority: 10n });
    await scene.fill({ a: tipped(100, 5), b: tipped(12, 9), c: plain(14), d: tipped(10, 0) });
    assert.deepEqual(
      [await scene.ready(), await paid(scene)],
      [
        ['a', 'c', 'b', 'd'],
        [15n, 14n, 12n, 10n],
      ],
    );
    const { effectivePriority } = (await scene.place('a')) ?? {};
    assert.equal(effectivePriority, 15n);
  },
  'P11/bounds: a new verdict that breaks a bound changes nothing and names it': async (context) => {
    const scene = await openScene(context, { maxTxGas: 10, maxAncestors: 1, maxDescendants: 1 });
    await scene.fill({ a: account('a', 0), b: account('a', 1), c: { provides: ['c'] } });
    await scene.fill({ d: { requires: ['c'] }, e: {} });
    const limit = (name: string, kind: string) => ({ kind: 'limit', hash: scene.hash(name), limit: kind });
    await scene.unchanged(async () => {
      assert.deepEqual(await revise(scene, 'e', 1, { gas: 11 }), limit('e', 'maxTxGas'));
      assert.deepEqual(await revise(scene, 'e', 1, { requires: ['a:1'] }), limit('e', 'maxAncestors'));
      assert.deepEqual(await revise(scene, 'e', 1, { requires: ['c'] }), limit('e', 'maxDescendants'));
    });
    assert.equal((await revise(scene, 'e', 1, { gas: 10 })).kind, 'revised');
  },
  'P9/two-kinds: a sweep of claims that end and of old ones moves at most a thousand in all': async (context) => {
    const scene = await openScene(context, { ttlMs: 1_000 });
    for (const name of ['old', 'taken'])
      await scene.addAll(Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`${name} ${i}`, { bytes: 1 }])));
    await scene.store.take({ maxTxs: 600 }, { owner: 'o', claimMs: 10 });
    scene.clock.nowMs += 1_001;
    const [first, second] = [await scene.store.sweep(), await scene.store.sweep()];
    const moved = [first, second].map(({ returned, expired }) => returned.length + expired.length);
    assert.deepEqual([moved[0], first.more], [1_000, true]);
    assert.ok((moved[1] ?? 0) >= 200);
  },
  'P9/batches: a sweep moves at most a thousand, and reports that there is more': async (context) => {
    const scene = await openScene(context, { ttlMs: 100 });
    for (let n = 0; n < 3; n++)
      await scene.addAll(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${n}-${i}`, { bytes: 1 }])));
    scene.clock.nowMs += 101;
    const first = await scene.store.sweep();
    const second = await scene.store.sweep();
    assert.deepEqual([first.expired.length, first.more], [1_000, true]);
    assert.deepEqual([second.expired.length, second.more], [500, false]);
    assert.deepEqual(scene.names(first.expired.slice(0, 2)), ['0-0', '0-1']);
    for (let n = 0; n < 2; n++)
      await scene.addAll(Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`new ${n}-${i}`, { bytes: 1 }])));
    await scene.store.setLimits({ maxTxs: 1 });
    const evicted = await scene.store.sweep({ overLimits: true });
    const rest = await scene.store.sweep({ overLimits: true });
    assert.deepEqual([evicted.evicted.length, evicted.more], [1_000, true]);
    assert.deepEqual([rest.evicted.length, rest.more], [1, false]);
  },
  'P9/exactly-a-thousand: a sweep that moves a thousand and leaves none has no more': async (context) => {
    const scene = await openScene(context, { ttlMs: 1_000 });
    await scene.addAll(Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`${i}`, { bytes: 1 }])));
    await scene.store.take({}, { owner: 'o', claimMs: 10 });
    scene.clock.nowMs += 11;
    const ended = await scene.store.sweep();
    assert.deepEqual([ended.returned.length, ended.more], [1_000, false]);
    await scene.store.take({ maxTxs: 1 }, { owner: 'o', claimMs: 2_000 });
    scene.clock.nowMs += 1_000;
    const expired = await scene.store.sweep();
    assert.deepEqual([expired.expired.length, expired.more], [999, false]);
    await scene.addAll(Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`new ${i}`, { bytes: 1 }])));
    await scene.store.setLimits({ maxTxs: 1 });
    const evicted = await scene.store.sweep({ overLimits: true });
    assert.deepEqual([evicted.evicted.length, evicted.more], [1_000, false]);
  },
  'P12/spent: a block drops those whose tags it spent, in every stage but Confirmed': async (context) => {
    const scene = await openScene(context, never);
    const tags = ['a', 'b', 'c', 'd'];
    await scene.fill(Object.fromEntries(tags.map((tag) => [tag, { provides: [tag] }])));
    await scene.fill({ other: { provides: ['o'] } });
    await scene.mark('b', 'c');
    await scene.acknowledge('c');
    await scene.block(1, { seen: ['d'] });
    const outcome = await scene.block(2, { provides: tags });
    assert.deepEqual(await scene.stages(...tags, 'other'), ['Dropped', 'Dropped', 'Dropped', 'Confirmed', 'Pending']);
    assert.deepEqual(await scene.reasons('a', 'b', 'c'), ['conflict', 'conflict', 'conflict']);
    assert.equal(outcome.kind === 'applied' && outcome.dropped, 3);
  },
  'P12/completed: a rollback does not withdraw the tags of a completed transaction': async (context) => {
    const scene = await openScene(context, never);
    await scene.fill({ parent: { provides: ['p'] }, child: { requires: ['p'] } });
    await scene.blocks(1, 2);
    await scene.mark('parent');
    await scene.complete('parent');
    await scene.store.rollback('origin');
    assert.deepEqual(await scene.parked(), []);
    const rival = await scene.add('rival', { provides: ['p'] });
    assert.deepEqual([rival.kind, await scene.stages('parent', 'child')], ['conflict', ['Finalized', 'Pending']]);
  },
  'P12/completed-before: a child that comes after its parent was completed is ready, while the log has the parent':
    async (context) => {
      const scene = await openScene(context, { maxFinalized: 1 });
      await scene.fill({ parent: { provides: ['paid'] }, other: {} });
      await scene.mark('parent', 'other');
      await scene.complete('parent');
      await scene.fill({ child: { requires: ['paid'] } });
      assert.deepEqual(await scene.ready(), ['child']);
      await scene.drop('child');
      await scene.complete('other');
      await scene.add('late', { requires: ['paid'] });
      assert.deepEqual(await scene.parked(), ['late']);
    },
  'P12/forgotten: a tag that nobody needs is forgotten once its block cannot be undone': async (context) => {
    const scene = await openScene(context, { maxRollback: 2, maxFinalized: 1 });
    await scene.fill({ child: { requires: ['kept'] } });
    await scene.block(1, { provides: ['kept', 'lost'] });
    assert.deepEqual((await scene.dump()).satisfied, [
      ['kept', 1],
      ['lost', 1],
    ]);
    await scene.blocks(2, 9);
    assert.deepEqual((await scene.dump()).satisfied, [['kept', 1]]);
    await scene.drop('child');
    await scene.fill({ other: {} });
    await scene.drop('other');
    await scene.block(10);
    assert.deepEqual((await scene.dump()).satisfied, []);
  },
  'P13/drained-again-and-again: filling and draining ten times leaves as little as once': async (context) => {
    const scene = await openScene(context, { maxFinalized: 3, maxRollback: 2, maxPerSender: 2 });
    const sizes = new Set<number>();
    for (let round = 0; round < 10; round++) {
      await scene.fill({
        a: account(`s${round}`, 0),
        b: account(`s${round}`, 1),
        c: { requires: [`never${round}`] },
      });
      await scene.store.flush();
      const { limits: _, ...dump } = await scene.dump();
      const text = JSON.stringify(dump, (_key, value) => (typeof value === 'bigint' ? 0 : value));
      sizes.add(text.replaceAll(/"gossipSeq":\d+|"lastGossipSeq":\d+|"seq":\d+/g, '').length);
    }
    assert.equal(sizes.size, 1);
  },
});

const onePool = eachOnPriorityPool({
  'P3/sources-at-most-64: a transaction keeps at most 64 sources, the first ones': async (scene) => {
    const peers = Array.from({ length: 70 }, (_, i) => `peer${i}`);
    for (const from of peers) await scene.add('a', { from });
    assert.deepEqual((await scene.entry('a')).sources, peers.slice(0, 64));
  },
  'P4/parked-for-ready: one that would be parked replaces none that is ready, whatever it pays': async (scene) => {
    await scene.fill({ a: { provides: ['a'], requires: ['missing'] }, b: { provides: ['b'] }, c: { provides: ['c'] } });
    await scene.fill({ child: { requires: ['b'] } });
    const draft = { provides: ['a', 'b', 'c'], requires: ['other'], priority: 400n };
    await scene.refuses('new', draft, { kind: 'conflict', with: scene.hash('b') });
    assert.deepEqual(await scene.ready(), ['b', 'c', 'child']);
  },
  'P6/defaults: a pool opened without limits has the documented ones': async (scene) => {
    assert.deepEqual(await scene.store.setLimits({}), defaults);
    assert.deepEqual((await scene.dump()).limits, defaults);
  },
  'P26/exact: a priority that equals the floor is not below it, also at 64 bits': async (scene) => {
    const [one, two] = [2n ** 53n, 2n ** 53n + 1n];
    await scene.fill({ a: { priority: one }, b: { priority: two }, c: { priority: -1n } });
    await raise(scene, two);
    assert.deepEqual([await scene.ready(), await scene.parked()], [['b'], ['a', 'c']]);
    assert.deepEqual((await scene.store.setLimits({})).minPriority, two);
    await raise(scene, -1n);
    assert.deepEqual(await scene.ready(), ['b', 'a', 'c']);
  },
  'P11/stale: transactions checked below a height are stale, the longest unchecked first': async (scene) => {
    await scene.add('a', {}, { height: 5 });
    await scene.add('b', { requires: ['missing'] }, { height: 3 });
    await scene.add('c', {}, { height: 5 });
    await scene.add('d', {}, { height: 9 });
    assert.deepEqual(await staleNames(scene, 9), ['b', 'a', 'c']);
    assert.deepEqual([await staleNames(scene, 9, 2), await staleNames(scene, 3)], [['b', 'a'], []]);
    const [first] = await scene.store.stale({ height: 9 });
    assert.deepEqual(first, { hash: scene.hash('b'), seq: 2, version: 1, checkedHeight: 3 });
  },
  'P8/own-id: without an operation id every take has a claim id of its own': async (scene) => {
    await scene.fill(ladder([1, 2]));
    const [a, b] = [await scene.store.take({ maxTxs: 1 }, mine), await scene.store.take({ maxTxs: 1 }, mine)];
    assert.notEqual(a.claimId, b.claimId);
    assert.deepEqual([scene.names(a.transactions), scene.names(b.transactions)], [['t1'], ['t0']]);
  },
  'P8/repeated-after-its-end: a repeat after the claim has ended has nothing, though others took it': async (scene) => {
    await scene.fill(ladder([2, 1]));
    const options = { ...mine, operationId: 'op' };
    await scene.store.take({}, options);
    scene.clock.nowMs += 1_001;
    await scene.store.sweep();
    await takeNames(scene, 1, { ...mine, owner: 'other', operationId: 'op 2' });
    assert.deepEqual((await scene.store.take({}, options)).transactions, []);
    assert.deepEqual(await scene.stages('t0', 't1'), ['Propagated', 'Pending']);
  },
  'P9/one-after-the-other: claims end first, then the old go, then what is over the limits': async (scene) => {
    await scene.fill({ taken: { priority: 9n }, old: { priority: 8n, expiresAt: startMs }, ...ladder([5, 4, 3]) });
    await scene.store.take({ maxTxs: 1 }, { owner: 'o', claimMs: 10 });
    await scene.store.setLimits({ maxTxs: 3 });
    scene.clock.nowMs += 11;
    const { returned, expired: gone, evicted } = await scene.store.sweep({ overLimits: true });
    assert.deepEqual(
      [returned, gone, evicted].map((hashes) => scene.names(hashes)),
      [['taken'], ['old'], ['t2']],
    );
    assert.deepEqual(await scene.ready(), ['taken', 't0', 't1']);
  },
  'P9/last-block: one with a last height is offered for that block, and not for the next': async (scene) => {
    const swept = async () => scene.names((await scene.store.sweep()).expired);
    await scene.fill({
      second: { priority: 3n, expiresAtHeight: 2 },
      third: { priority: 2n, expiresAtHeight: 3 },
      fourth: { priority: 1n, expiresAtHeight: 4 },
    });
    await scene.block(1);
    assert.deepEqual([await swept(), await scene.ready()], [[], ['second', 'third', 'fourth']]);
    await scene.block(2);
    assert.deepEqual([await swept(), await scene.ready()], [['second'], ['third', 'fourth']]);
    await scene.block(3);
    assert.deepEqual([await swept(), await scene.ready()], [['third'], ['fourth']]);
  },
  'P24/held: what is held back is parked for that reason, and what needs it waits': async (scene) => {
    await scene.fill({ parent, child });
    await scene.mark('parent');
    const notBeforeMs = scene.clock.nowMs + 1_000;
    const events = await told(scene, () => scene.store.release([scene.hash('parent')], { notBeforeMs }));
    assert.deepEqual(events, ['parent Pending', 'parent parked, held', 'child parked, missing']);
    scene.clock.nowMs += 1_000;
    assert.deepEqual(await told(scene, () => scene.store.sweep()), ['parent ready', 'child ready']);
  },
  'P25/parents-of-pages: parents are told on a page that does not have them': async (scene) => {
    await scene.fill(family);
    const [first] = await scene.store.best({ limit: 1 });
    const [second] = await scene.store.best({ limit: 1, after: first?.key });
    assert.deepEqual([scene.names([second?.hash ?? '']), scene.names(second?.parents ?? [])], [['child'], ['parent']]);
  },
});

/** An example of each rule that the histories show too, and sizes and orders that they do not reach. */
export const exampleCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
