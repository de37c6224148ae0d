import assert from 'node:assert/strict';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { mustRank } from '../../case/must.ts';
import type { Random } from '../../case/random.ts';
import {
  account,
  type Draft,
  eachOnPriorityPool,
  ladder,
  maxPriority,
  minPriority,
  openScene,
  type Scene,
} from '../../scenario/priority.ts';

/** Priorities that a double, a 32-bit word or an unsigned number would confuse, the best first. */
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

/** Chains of several senders, in an order of chance, with gaps; few priorities, so that ties are many. */
function chains(random: Random): Link[] {
  const links: Link[] = [];
  for (let s = 0; s < 2 + random.below(5); s++)
    for (let nonce = 0; nonce < 1 + random.below(7); nonce++)
      if (random.below(8) > 0)
        links.push({ name: `s${s}-${nonce}`, sender: `s${s}`, nonce, priority: BigInt(random.below(4)) - 1n });
  return random.shuffled(links);
}

/** The walk that always takes the best head among the senders, ties by arrival. */
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
    'chains of several senders, received in any order and with gaps, go as the walk of the best head among the senders takes them';
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

const onePool = eachOnPriorityPool({
  'P1/higher-first: what pays more goes first, and equals in order of arrival': async (scene) => {
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
  'P1/sixty-four-bits: priorities that differ in their last bit alone are different': async (scene, context) => {
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
  'P1/both-ends-agree: what is reaped last is what is evicted first': async (scene) => {
    await scene.fill(ladder([2n ** 33n, 5, 2n ** 32n + 9n, 7, 2n ** 32n]));
    const reaped = await scene.ready();
    await scene.store.setLimits({ maxTxs: 1 });
    await scene.store.sweep();
    assert.deepEqual([await scene.ready(), reaped.slice(0, 1)], [['t0'], ['t0']]);
    const { entries } = await scene.store.dumpFinalized();
    assert.deepEqual(scene.names(entries).sort(), reaped.slice(1).sort());
  },
  'P1/one-sender-forwards: the nonces of one sender go forwards, whatever each pays': async (scene) => {
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
  'P1/gap-filled: a chain with a gap is taken up where it stopped once the gap is filled': async (scene) => {
    const arrived = [0, 1, 3, 4].map((nonce) => ({ name: `a${nonce}`, sender: 'a', nonce, priority: 5n }));
    const rivals = [0, 1].map((nonce) => ({ name: `b${nonce}`, sender: 'b', nonce, priority: 3n }));
    await receiveLinks(scene, [...arrived, ...rivals]);
    assert.deepEqual(await scene.ready(), ['a0', 'a1', 'b0', 'b1']);
    await receiveLinks(scene, [{ name: 'a2', sender: 'a', nonce: 2, priority: 4n }]);
    assert.deepEqual(await scene.ready(), ['a0', 'a1', 'a2', 'a3', 'a4', 'b0', 'b1']);
  },
  'P1/topological: in a graph of many parents none goes before one that it needs': async (scene, context) => {
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

export const orderCases: readonly ConformanceCase[] = [...onePool, ...[1, 2, 3].map(walksGreedily)];
