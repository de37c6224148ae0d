import assert from 'node:assert/strict';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { mustRank } from '../../case/must.ts';
import type { Random } from '../../case/random.ts';
import {
  account,
  type Draft,
  type Drafts,
  eachOnPriorityPool,
  ladder,
  maxPriority,
  minPriority,
  onPriorityPool,
  openScene,
  type Scene,
} from '../../scenario/priority.ts';

/** A line of the table of order keys, with an example: the transactions received, and the order key of the last one. */
interface PlaceExample {
  readonly id: string;
  readonly title: string;
  readonly drafts: Drafts;
  readonly effectivePriority: bigint;
  /** The one whose seq is the tie-break seq. */
  readonly tieBreakSeq: string;
  readonly depth: number;
  /** The expected order of all of them. */
  readonly order: readonly string[];
}

function priced(priority: bigint, provides: readonly string[] = [], requires: readonly string[] = []): Draft {
  return { priority, provides, requires };
}

const examples: readonly PlaceExample[] = [
  {
    id: 'no-parent',
    title: 'without a Pending parent a transaction stands by its own priority and seq',
    drafts: { other: priced(9n), me: priced(7n) },
    effectivePriority: 7n,
    tieBreakSeq: 'me',
    depth: 0,
    order: ['other', 'me'],
  },
  {
    id: 'own-lower',
    title: 'one that pays less than its parent stands by its own priority and seq, a step deeper',
    drafts: { parent: priced(9n, ['p']), between: priced(7n), me: priced(5n, [], ['p']) },
    effectivePriority: 5n,
    tieBreakSeq: 'me',
    depth: 1,
    order: ['parent', 'between', 'me'],
  },
  {
    id: 'own-equal-later',
    title: 'one that pays what its parent pays and came later stands by its own seq',
    drafts: { parent: priced(5n, ['p']), rival: priced(5n), me: priced(5n, [], ['p']) },
    effectivePriority: 5n,
    tieBreakSeq: 'me',
    depth: 1,
    order: ['parent', 'rival', 'me'],
  },
  {
    id: 'own-higher',
    title: 'one that pays more than its parent follows it at once, with the parent’s priority and tie-break seq',
    drafts: { parent: priced(5n, ['p']), rival: priced(5n), me: priced(9n, [], ['p']) },
    effectivePriority: 5n,
    tieBreakSeq: 'parent',
    depth: 1,
    order: ['parent', 'me', 'rival'],
  },
  {
    id: 'parents-lowest',
    title: 'of several parents the one with the lowest priority counts',
    drafts: { dear: priced(9n, ['d']), cheap: priced(4n, ['c']), rival: priced(4n), me: priced(9n, [], ['d', 'c']) },
    effectivePriority: 4n,
    tieBreakSeq: 'cheap',
    depth: 1,
    order: ['dear', 'cheap', 'me', 'rival'],
  },
  {
    id: 'parents-latest',
    title: 'of several parents with the lowest priority the largest tie-break seq counts',
    drafts: { first: priced(4n, ['f']), rival: priced(4n), second: priced(4n, ['s']), me: priced(8n, [], ['s', 'f']) },
    effectivePriority: 4n,
    tieBreakSeq: 'second',
    depth: 1,
    order: ['first', 'rival', 'second', 'me'],
  },
  {
    id: 'parents-anchor-of-lowest-only',
    title: 'the tie-break seq of a parent that pays more does not count, however late it came',
    drafts: { cheap: priced(4n, ['c']), rival: priced(4n), dear: priced(9n, ['d']), me: priced(8n, [], ['c', 'd']) },
    effectivePriority: 4n,
    tieBreakSeq: 'cheap',
    depth: 1,
    order: ['dear', 'cheap', 'me', 'rival'],
  },
  {
    id: 'parents-deepest',
    title: 'of several parents the deepest counts for the depth, whatever it pays',
    drafts: {
      root: priced(9n, ['r']),
      deep: priced(9n, ['d'], ['r']),
      cheap: priced(4n, ['c']),
      me: priced(4n, [], ['d', 'c']),
    },
    effectivePriority: 4n,
    tieBreakSeq: 'me',
    depth: 2,
    order: ['root', 'deep', 'cheap', 'me'],
  },
  {
    id: 'parents-own-lower',
    title: 'one that pays less than all of its parents stands by its own priority and seq',
    drafts: { dear: priced(9n, ['d']), cheap: priced(4n, ['c']), me: priced(3n, [], ['d', 'c']), last: priced(3n) },
    effectivePriority: 3n,
    tieBreakSeq: 'me',
    depth: 1,
    order: ['dear', 'cheap', 'me', 'last'],
  },
  {
    id: 'parent-twice',
    title: 'a parent needed for two tags counts once',
    drafts: { parent: priced(5n, ['a', 'b']), me: priced(9n, [], ['a', 'b']) },
    effectivePriority: 5n,
    tieBreakSeq: 'parent',
    depth: 1,
    order: ['parent', 'me'],
  },
  {
    id: 'generations',
    title: 'a grandchild stands by the lowest priority of all its ancestors',
    drafts: {
      root: priced(3n, ['r']),
      child: priced(8n, ['c'], ['r']),
      rival: priced(3n),
      me: priced(9n, [], ['c']),
    },
    effectivePriority: 3n,
    tieBreakSeq: 'root',
    depth: 2,
    order: ['root', 'child', 'me', 'rival'],
  },
  {
    id: 'parked-parent',
    title: 'a parked one stands below its parked parent by the same table',
    drafts: { parent: priced(5n, ['p'], ['missing']), rival: priced(5n, [], ['missing']), me: priced(9n, [], ['p']) },
    effectivePriority: 5n,
    tieBreakSeq: 'parent',
    depth: 1,
    order: ['parent', 'me', 'rival'],
  },
  {
    id: 'parked-alone',
    title: 'a parked one without a Pending parent stands among the parked by its own priority and seq',
    drafts: { ready: priced(1n), parked: priced(7n, [], ['missing']), me: priced(8n, [], ['missing']) },
    effectivePriority: 8n,
    tieBreakSeq: 'me',
    depth: 0,
    order: ['ready', 'me', 'parked'],
  },
];

/** Asserts where `me` stands and in which order all of them do. */
async function expectPlace(
  scene: Scene,
  { effectivePriority, tieBreakSeq, depth, order }: PlaceExample,
): Promise<void> {
  const place = await scene.place('me');
  const { ready, ...rest } = place ?? { ready: null };
  assert.equal(typeof ready, 'boolean');
  assert.deepEqual(
    [rest, await scene.order()],
    [{ effectivePriority, tieBreakSeq: await scene.seq(tieBreakSeq), depth }, order],
  );
}

function placed(example: PlaceExample): ConformanceCase {
  return onPriorityPool(`P1/place-${example.id}`, example.title, async (scene) => {
    await scene.fill(example.drafts);
    await expectPlace(scene, example);
  });
}

const onePool = eachOnPriorityPool({
  'P1/place-own-equal-earlier: an earlier one that pays what its parent pays stands by the parent': async (scene) => {
    await scene.fill({ me: priced(5n, [], ['p']), rival: priced(5n), parent: priced(5n, ['p']), last: priced(5n) });
    assert.deepEqual(await scene.place('me'), {
      ready: true,
      effectivePriority: 5n,
      tieBreakSeq: await scene.seq('parent'),
      depth: 1,
    });
    assert.deepEqual(await scene.order(), ['rival', 'parent', 'me', 'last']);
  },
  'P1/place-in-one-call: a parent that comes later in the same call counts': async (scene) => {
    await scene.addAll({ me: priced(9n, [], ['p']), rival: priced(5n), parent: priced(5n, ['p']), last: priced(5n) });
    assert.deepEqual(await scene.order(), ['rival', 'parent', 'me', 'last']);
  },
  'P1/depth-before-seq: at equal priority and tie-break seq the less deep one goes first': async (scene) => {
    await scene.fill({
      grandchild: priced(9n, [], ['c']),
      root: priced(5n, ['r']),
      child: priced(9n, ['c'], ['r']),
      late: priced(9n, [], ['r']),
    });
    assert.deepEqual(await scene.order(), ['root', 'child', 'late', 'grandchild']);
  },
  'P1/siblings-by-seq: children that pay more than their parent stand in fifo order': async (scene) => {
    await scene.fill({ third: priced(6n, [], ['p']), first: priced(8n, [], ['p']), second: priced(7n, [], ['p']) });
    await scene.add('p', priced(5n, ['p']));
    assert.deepEqual(await scene.order(), ['p', 'third', 'first', 'second']);
  },
  'P1/parent-in-flight: a parent holds its child down only while it is Pending': async (scene) => {
    await scene.fill({ parent: priced(2n, ['p']), rival: priced(5n), me: priced(9n, [], ['p']) });
    const below = await scene.place('me');
    await scene.mark('parent');
    assert.deepEqual(await scene.place('me'), {
      ready: true,
      effectivePriority: 9n,
      tieBreakSeq: await scene.seq('me'),
      depth: 0,
    });
    assert.deepEqual(await scene.ready(), ['me', 'rival']);
    await scene.release('parent');
    assert.deepEqual(await scene.place('me'), below);
    assert.deepEqual(await scene.ready(), ['rival', 'parent', 'me']);
  },
  'P1/anchor-alone: an order key changes with its tie-break seq, though priority and readiness stay': async (scene) => {
    await scene.fill({ me: priced(5n, [], ['p']), rival: priced(5n), p: priced(5n, ['p']), last: priced(5n) });
    await scene.mark('p');
    assert.deepEqual(await scene.ready(), ['me', 'rival', 'last']);
    await scene.release('p');
    assert.deepEqual(await scene.ready(), ['rival', 'p', 'me', 'last']);
  },
  'P1/place-follows-every-generation: a root that leaves or returns moves all its descendants': async (scene) => {
    await scene.fill({
      root: priced(1n, ['0']),
      a: priced(9n, ['1'], ['0']),
      b: priced(8n, ['2'], ['1']),
      c: priced(9n, [], ['2']),
      rival: priced(8n),
    });
    assert.deepEqual(await scene.order(), ['rival', 'root', 'a', 'b', 'c']);
    await scene.mark('root');
    assert.deepEqual(await scene.order(), ['a', 'b', 'c', 'rival']);
    await scene.release('root');
    assert.deepEqual(await scene.order(), ['rival', 'root', 'a', 'b', 'c']);
  },
});

export const placeCases: readonly ConformanceCase[] = [...examples.map(placed), ...onePool];

/** Priorities, best first, that a double, a 32-bit word or an unsigned number would confuse. */
const close: readonly bigint[] = [
  maxPriority,
  maxPriority - 1n,
  2n ** 62n + 1n,
  2n ** 62n,
  2n ** 53n + 1n,
  2n ** 53n,
  2n ** 53n - 1n,
  2n ** 32n + 1n,
  2n ** 32n,
  2n ** 32n - 1n,
  2n ** 31n,
  2n ** 31n - 1n,
  1n,
  0n,
  -1n,
  -(2n ** 31n),
  -(2n ** 53n),
  -(2n ** 53n) - 1n,
  minPriority + 1n,
  minPriority,
];

/** One transaction of a sender's chain. */
interface Link {
  readonly name: string;
  readonly sender: string;
  readonly nonce: number;
  readonly priority: bigint;
}

/** Chains of several senders, in random order, with gaps; few priorities, so that there are many ties. */
function chains(random: Random): Link[] {
  const links: Link[] = [];
  for (let s = 0; s < 2 + random.below(5); s++)
    for (let nonce = 0; nonce < 1 + random.below(7); nonce++)
      if (random.below(8) > 0)
        links.push({ name: `s${s}-${nonce}`, sender: `s${s}`, nonce, priority: BigInt(random.below(4)) - 1n });
  return random.shuffled(links);
}

/** The walk that always takes the best head of all senders' chains, ties by seq. */
function greedyWalk(arrived: readonly Link[]): string[] {
  const next = new Map<string, number>();
  const walked: string[] = [];
  for (;;) {
    const heads = arrived.filter(({ sender, nonce }) => nonce === (next.get(sender) ?? 0));
    const [first] = heads;
    if (first === undefined) return walked;
    const best = heads.reduce((a, b) => (b.priority > a.priority ? b : a), first);
    walked.push(best.name);
    next.set(best.sender, best.nonce + 1);
  }
}

async function receiveLinks(scene: Scene, arrived: readonly Link[]): Promise<void> {
  const drafts = arrived.map(({ name, sender, nonce, priority }): [string, Draft] => [
    name,
    { ...account(sender, nonce), priority },
  ]);
  await scene.addAll(Object.fromEntries(drafts));
}

function walksGreedily(n: number): ConformanceCase {
  const title =
    'chains of several senders, received in any order and with gaps, are ordered by a walk that always takes the best head';
  return mustRank(`P1/greedy-walk-${n}`, title, async (context) => {
    for (let round = 0; round < 12; round++) {
      const scene = await newScene(context);
      const arrived = chains(context.random);
      await receiveLinks(scene, arrived);
      assert.deepEqual(await scene.ready(), greedyWalk(arrived));
      await scene.store.close();
    }
  });
}

/** A scene on a pool of its own. */
function newScene(context: CaseContext): Promise<Scene> {
  return openScene({ ...context, open: context.openOther });
}

const orderOnePool = eachOnPriorityPool({
  'P1/higher-first: a higher priority goes first, equal ones in fifo order': async (scene) => {
    await scene.fill(ladder([1, 3, 2, 3, 1, 2, 3]));
    assert.deepEqual(await scene.ready(), ['t1', 't3', 't6', 't2', 't5', 't0', 't4']);
  },
  'P1/equals-within-a-call: equals of one call keep their order, behind earlier calls': async (scene) => {
    await scene.add('first', { priority: 1n });
    await scene.addAll(ladder([1, 2, 1, 2]));
    assert.deepEqual(await scene.ready(), ['t1', 't3', 'first', 't0', 't2']);
  },
  'P1/default-priority: a transaction without a verdict has the priority 0': async (scene) => {
    await scene.fill(ladder([-1, 1]));
    await scene.store.receive([{ hash: scene.hash('plain'), payload: new Uint8Array(3), payloadType: 0 }]);
    assert.deepEqual(await scene.ready(), ['t1', 'plain', 't0']);
  },
  'P1/sixty-four-bits: priorities that differ only in the last bit are different': async (scene, context) => {
    const drafts = Object.entries(ladder(close));
    await scene.fill(Object.fromEntries(context.random.shuffled(drafts)));
    assert.deepEqual(
      await scene.ready(),
      drafts.map(([name]) => name),
    );
  },
  'P1/sixty-four-bits-read: every priority of 64 bits is read back as it was given': async (scene) => {
    await scene.addAll(ladder(close));
    assert.deepEqual(
      (await scene.store.reap()).map(({ priority }) => priority),
      close,
    );
    assert.deepEqual(
      (await scene.store.best()).map(({ priority }) => priority),
      close,
    );
  },
  'P1/both-ends-agree: the last one reaped is the first one evicted': async (scene) => {
    await scene.fill(ladder([2n ** 33n, 5, 2n ** 32n + 9n, 7, 2n ** 32n]));
    const reaped = await scene.ready();
    await scene.store.setLimits({ maxTxs: 1 });
    await scene.store.sweep({ overLimits: true });
    assert.deepEqual([await scene.ready(), reaped.slice(0, 1)], [['t0'], ['t0']]);
    const { entries } = await scene.store.dumpFinalized();
    assert.deepEqual(scene.names(entries).sort(), reaped.slice(1).sort());
  },
  'P1/one-sender-forwards: the nonces of one sender go in order, whatever each pays': async (scene) => {
    const arrived = [3, 0, 4, 1, 2].map((nonce) => ({ name: `n${nonce}`, draft: account('s', nonce), nonce }));
    for (const { name, draft, nonce } of arrived) await scene.add(name, { ...draft, priority: BigInt(nonce) });
    assert.deepEqual(await scene.ready(), ['n0', 'n1', 'n2', 'n3', 'n4']);
    const lot = await scene.store.take({}, { owner: 'o', claimMs: 1_000 });
    assert.deepEqual(scene.names(lot.transactions), ['n0', 'n1', 'n2', 'n3', 'n4']);
  },
  'P1/child-never-pays-for-parent: a rich child does not lift its poor parent': async (scene) => {
    await scene.fill({ parent: { priority: 1n, provides: ['p'] }, rival: { priority: 2n } });
    await scene.add('child', { priority: 1_000n, requires: ['p'] });
    assert.deepEqual(await scene.ready(), ['rival', 'parent', 'child']);
  },
  'P1/gap-filled: a chain with a gap continues where it stopped once the gap is filled': async (scene) => {
    const arrived = [0, 1, 3, 4].map((nonce) => ({ name: `a${nonce}`, sender: 'a', nonce, priority: 5n }));
    const rivals = [0, 1].map((nonce) => ({ name: `b${nonce}`, sender: 'b', nonce, priority: 3n }));
    await receiveLinks(scene, [...arrived, ...rivals]);
    assert.deepEqual(await scene.ready(), ['a0', 'a1', 'b0', 'b1']);
    await receiveLinks(scene, [{ name: 'a2', sender: 'a', nonce: 2, priority: 4n }]);
    assert.deepEqual(await scene.ready(), ['a0', 'a1', 'a2', 'a3', 'a4', 'b0', 'b1']);
  },
  'P1/topological: in a graph of many parents none goes before its parents': async (scene, context) => {
    const { random } = context;
    const drafts = Array.from({ length: 120 }, (_, i): [string, Draft] => {
      const requires = Array.from({ length: random.below(4) }, () => `g${random.below(Math.max(1, i))}`);
      const own = i === 0 ? [] : [...new Set(requires)];
      return [`g${i}`, { provides: [`g${i}`], requires: own, priority: BigInt(random.below(6)) }];
    });
    await scene.addAll(Object.fromEntries(random.shuffled(drafts)));
    const order = await scene.ready();
    assert.equal(order.length, drafts.length);
    const at = new Map(order.map((name, i) => [name, i]));
    for (const [name, { requires = [] }] of drafts)
      for (const parent of requires) assert.ok((at.get(parent) ?? 0) < (at.get(name) ?? 0), `${parent} before ${name}`);
  },
});

export const orderCases: readonly ConformanceCase[] = [...orderOnePool, ...[1, 2, 3].map(walksGreedily)];
