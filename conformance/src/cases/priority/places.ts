import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { type Draft, type Drafts, eachOnPriorityPool, onPriorityPool, type Scene } from '../../scenario/priority.ts';

/** A line of the table of places, by an example: what is received, and where the last one then stands. */
interface PlaceExample {
  readonly id: string;
  readonly title: string;
  readonly drafts: Drafts;
  readonly effectivePriority: bigint;
  /** The one whose seq is the anchor. */
  readonly tieBreakSeq: string;
  readonly depth: number;
  /** The order in which all of them then stand. */
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
    title: 'one that pays more than its parent follows it at once, at the parent’s priority and anchor',
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
    title: 'of several parents with the lowest priority the largest anchor counts',
    drafts: { first: priced(4n, ['f']), rival: priced(4n), second: priced(4n, ['s']), me: priced(8n, [], ['s', 'f']) },
    effectivePriority: 4n,
    tieBreakSeq: 'second',
    depth: 1,
    order: ['first', 'rival', 'second', 'me'],
  },
  {
    id: 'parents-anchor-of-lowest-only',
    title: 'the anchor of a parent that pays more does not count, however late it came',
    drafts: { cheap: priced(4n, ['c']), rival: priced(4n), dear: priced(9n, ['d']), me: priced(8n, [], ['c', 'd']) },
    effectivePriority: 4n,
    tieBreakSeq: 'cheap',
    depth: 1,
    order: ['dear', 'cheap', 'me', 'rival'],
  },
  {
    id: 'parents-deepest',
    title: 'of several parents the deepest counts, whatever it pays',
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
  'P1/depth-before-seq: at the same priority and anchor the less deep one goes first': async (scene) => {
    await scene.fill({
      grandchild: priced(9n, [], ['c']),
      root: priced(5n, ['r']),
      child: priced(9n, ['c'], ['r']),
      late: priced(9n, [], ['r']),
    });
    assert.deepEqual(await scene.order(), ['root', 'child', 'late', 'grandchild']);
  },
  'P1/siblings-by-seq: children of one parent that pay more stand in order of arrival': async (scene) => {
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
  'P1/anchor-alone: a place changes with its anchor, though priority and readiness stay': async (scene) => {
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
