import assert from 'node:assert/strict';
import type { Limits, ReceiveOutcome } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { apart, eachRanked, eachRow } from '../../case/must.ts';
import { gist, kindsOf } from '../../scenario/pool.ts';
import { account, type Draft, type Drafts, openScene, type Scene } from '../../scenario/priority.ts';

/** A stage in which a parent makes its child ready. */
const stages: readonly (readonly [string, (scene: Scene) => Promise<unknown>])[] = [
  ['Pending', async () => undefined],
  ['Propagated', (scene) => scene.mark('parent')],
  ['Acknowledged', (scene) => scene.mark('parent').then(() => scene.acknowledge('parent'))],
  ['Confirmed', (scene) => scene.block(1, { seen: ['parent'] })],
  ['Finalized', (scene) => scene.block(1, { seen: ['parent'] }, { finalizeThreshold: 1 })],
  ['Finalized', (scene) => scene.mark('parent').then(() => scene.complete('parent'))],
];

const requires = ['missing'];

const parked = (priority: number | bigint, sender = ''): Draft => ({ priority: BigInt(priority), sender, requires });

async function kindOf(scene: Scene, name: string, draft: Draft): Promise<ReceiveOutcome['kind']> {
  return (await scene.add(name, draft)).kind;
}

const tooMany = { kind: 'limit', limit: 'maxDescendants' } as const;

function needs(requires: readonly string[], priority = 0, more: Draft = {}): Draft {
  return { requires, priority: BigInt(priority), ...more };
}

/** A chain that begins at a tag: `c1` requires it, and each one requires the one before. */
function chain(tag: string, length: number, priority = 0): Drafts {
  const links = Array.from({ length }, (_, i): [string, Draft] => [
    `c${i + 1}`,
    needs([i === 0 ? tag : `${tag}${i}`], priority, { provides: [`${tag}${i + 1}`] }),
  ]);
  return Object.fromEntries(links);
}

async function receives(scene: Scene, name: string, draft: Draft): Promise<void> {
  const outcome = await scene.add(name, draft);
  assert.deepEqual([outcome.kind, 'parked' in outcome], ['received', false]);
}

const own = (priority: number, more: Draft = {}): Draft => ({ priority: BigInt(priority), protected: true, ...more });

const other = (priority: number, more: Draft = {}): Draft => ({ priority: BigInt(priority), ...more });

const tooManyProtected = { kind: 'limit', limit: 'maxProtected' } as const;

async function kindOfOwn(scene: Scene, name: string, draft: Draft): Promise<string> {
  return (await scene.add(name, draft)).kind;
}

/** How many are protected, ready and parked. */
async function counts(scene: Scene): Promise<readonly number[]> {
  const load = await scene.load();
  return [load.protected, load.ready, load.parked];
}

interface Over {
  readonly limit: string;
  readonly drafts: Drafts;
  readonly limits: Partial<Limits>;
  readonly leaving: readonly string[];
}

const top: Draft = { provides: ['p'], priority: 9n, sender: 's' };

/** Pools that are over a limit, and the parked ones that a sweep drops, the first one first. */
const over: readonly Over[] = [
  {
    limit: 'senders',
    drafts: { top, a: parked(3, 's'), b: parked(1, 's'), c: parked(0) },
    limits: { maxPerSender: 2 },
    leaving: ['b'],
  },
  { limit: 'ancestors', drafts: chain('r', 4), limits: { maxAncestors: 1 }, leaving: ['c4', 'c3'] },
  {
    limit: 'descendants',
    drafts: { top, a: needs(['p', 'x'], 3), b: needs(['p', 'y'], 1), c: needs(['p', 'z'], 2), ready: needs(['p']) },
    limits: { maxDescendants: 2 },
    leaving: ['b', 'c'],
  },
  {
    limit: 'tags',
    drafts: { a: needs(['x'], 3), b: needs(['x'], 1), c: needs(['x'], 2), d: needs(['y'], 0) },
    limits: { maxDescendants: 1 },
    leaving: ['b', 'c'],
  },
];

const ownPools = eachRanked({
  'P2/met: a tag is met by a transaction in each of these stages, for those that wait and for those that come': (
    context,
  ) =>
    eachRow(
      stages,
      ([stage]) => stage,
      async ([stage, bring]) => {
        const scene = await openScene(apart(context));
        await scene.fill({ early: { requires: ['p'] }, parent: { provides: ['p'] } });
        await bring(scene);
        const outcome = await scene.add('late', { requires: ['p'] });
        assert.deepEqual(await scene.stages('parent'), [stage]);
        assert.deepEqual([outcome.kind === 'received' && outcome.parked, await scene.parked()], [undefined, []]);
      },
    ),
  'P22/worst-leaves: over maxParked the parked one of the lowest priority leaves as evicted, none that is ready':
    async (context) => {
      const scene = await openScene(context, { maxParked: 2 });
      await scene.fill({ ready: { priority: -9n }, low: parked(3), high: parked(5) });
      const events = await scene.eventsOf(async () => {
        assert.equal(await kindOf(scene, 'new', parked(4)), 'received');
      });
      const [low, newcomer] = scene.hashes(['low', 'new']);
      assert.deepEqual(events.map(gist), [`Dropped ${low}`, `Pending ${newcomer}`, `parked ${newcomer}`]);
      assert.deepEqual([await scene.order(), await scene.reasons('low')], [['ready', 'high', 'new'], ['evicted']]);
    },
  'P22/flood: a flood of parked ones keeps no other sender out, and no ready one': async (context) => {
    const scene = await openScene(context, { maxParked: 12, maxPerSender: 4 });
    for (let i = 0; i < 40; i++) await scene.add(`s${i}`, { ...account(`spam${i % 5}`, 9 + i), priority: 3n });
    await scene.fill({ h2: { ...account('honest', 2), priority: 3n }, h1: { ...account('honest', 1), priority: 3n } });
    await scene.fill({ h0: { ...account('honest', 0), priority: 3n } });
    assert.deepEqual([await scene.ready(), (await scene.load()).parked], [['h0', 'h1', 'h2'], 10]);
  },
  'P22/long-chain: a chain of parked ones never keeps out its root, whatever they pay': async (context) => {
    const scene = await openScene(context);
    const outcomes = await scene.addAll(chain('r', 101, -1_000));
    assert.ok(kindsOf(outcomes).every((kind) => kind === 'received'));
    await receives(scene, 'root', { provides: ['r'], priority: 1_000_000n });
    assert.deepEqual([(await scene.load()).ready, await scene.reasons('c101')], [101, ['evicted']]);
    assert.deepEqual(await scene.stages('c100'), ['Pending']);
  },
  'P22/readers: as many wait for one missing tag as may depend on its provider, which comes in': async (context) => {
    const scene = await openScene(context);
    const readers = Array.from({ length: 1_000 }, (_, i): [string, Draft] => [`r${i}`, needs(['x'], i)]);
    const outcomes = await scene.addAll(Object.fromEntries(readers));
    assert.ok(kindsOf(outcomes).every((kind) => kind === 'received'));
    await scene.refuses('less', needs(['x'], -1), tooMany);
    await scene.fill({ more: needs(['x'], 1) });
    assert.deepEqual(await scene.reasons('r0'), ['evicted']);
    await receives(scene, 'provider', { provides: ['x'], priority: 1n });
    assert.equal((await scene.load()).ready, 1_001);
  },
  'P22/swept: a sweep over the limits drops parked ones that are over any of them': (context) =>
    eachRow(
      over,
      ({ limit }) => limit,
      async ({ drafts, limits, leaving }) => {
        const scene = await openScene(apart(context));
        await scene.fill(drafts);
        await scene.store.setLimits(limits);
        assert.deepEqual((await scene.store.sweep()).evicted, []);
        const { evicted, more } = await scene.store.sweep({ overLimits: true });
        assert.deepEqual([scene.names(evicted), more], [leaving, false]);
        assert.deepEqual((await scene.store.sweep({ overLimits: true })).evicted, []);
      },
    ),
  'P28/too-many: over maxProtected a protected newcomer is refused, and without protection it comes in': async (
    context,
  ) => {
    const scene = await openScene(context, { maxProtected: 2 });
    await scene.fill({ a: own(1), b: own(1), c: other(1) });
    await scene.refuses('d', own(9), tooManyProtected);
    assert.equal(await kindOfOwn(scene, 'd', other(9)), 'received');
    await scene.store.setLimits({ maxProtected: 1 });
    assert.deepEqual(await counts(scene), [2, 4, 0]);
    await scene.drop('a');
    await scene.refuses('e', own(9), tooManyProtected);
    await scene.drop('b');
    assert.equal(await kindOfOwn(scene, 'e', own(9)), 'received');
  },
});

/** P2, P22 and P28: examples, chains and crowds that the histories do not reach. */
export const parkingCases: readonly ConformanceCase[] = ownPools;
