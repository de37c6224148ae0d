import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { type Draft, type Drafts, eachOnPriorityPool, onPriorityPool, type Scene } from '../../scenario/priority.ts';

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
    id: 'parents-latest',
    title: 'of several parents with the lowest priority the largest tie-break seq counts',
    drafts: { first: priced(4n, ['f']), rival: priced(4n), second: priced(4n, ['s']), me: priced(8n, [], ['s', 'f']) },
    effectivePriority: 4n,
    tieBreakSeq: 'second',
    depth: 1,
    order: ['first', 'rival', 'second', 'me'],
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

export const placeCases: readonly ConformanceCase[] = [...examples.map(placed)];

const orderOnePool = eachOnPriorityPool({
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

export const orderCases: readonly ConformanceCase[] = [...orderOnePool];
