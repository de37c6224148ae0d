import { Random, seed } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { defaultLimits } from '../../src/contract/limits.ts';
import type { Entry } from '../../src/contract/pool-entry.ts';
import { knownStages } from '../../src/contract/transaction.ts';
import { defaultVerdict } from '../../src/contract/verdict.ts';
import { settle } from '../../src/priority/placement.ts';
import { PoolIndex } from '../../src/priority/pool-index.ts';
import type { PoolNode } from '../../src/priority/pool-node.ts';

/** A life of one of 40 hashes. */
function entryOf(chance: Random, seq: number): Entry {
  const tags = (): string[] => (chance.below(3) === 0 ? [`t${chance.below(6)}`] : []);
  const tip = chance.below(8) === 0 ? { tip: BigInt(chance.below(4)) } : {};
  const sender = chance.below(4) === 0 ? `s${chance.below(3)}` : '';
  const verdict = { ...defaultVerdict, priority: BigInt(chance.below(9)), sender, requires: tags(), ...tip };
  const known = { sources: [], version: 1, admittedHeight: chance.below(9), gossipSeq: 0, claim: null };
  const times = { admittedAt: chance.below(50), checkedHeight: chance.below(5) };
  return {
    hash: chance.below(40).toString(16).padStart(4, '0'),
    seq,
    bytes: chance.below(100),
    verdict,
    ...known,
    ...times,
  };
}

/** The entry, changed without another verdict. */
function otherEntry(chance: Random, entry: Entry): Entry {
  switch (chance.below(4)) {
    case 0:
      return { ...entry, notBefore: chance.below(20) };
    case 1:
      return { ...entry, claim: { id: `c${chance.below(3)}`, owner: '', untilMs: chance.below(20) } };
    case 2:
      return { ...entry, checkedHeight: chance.below(5) };
    default:
      return { ...entry, version: entry.version + 1, verdict: { ...entry.verdict, priority: BigInt(chance.below(9)) } };
  }
}

const names = (nodes: Iterable<PoolNode>): string[] => Array.from(nodes, ({ hash }) => hash);

/** What is in the indexes, in their orders. */
function shownOf(index: PoolIndex): unknown {
  const { totals, ages, claims, dependents, senders, satisfied, order, parked, parking } = index;
  const { transactions, bytes, gas } = totals;
  const sets = (tags: PoolIndex['claims']) =>
    Array.from(tags.entries(), ([tag, nodes]) => [tag, names(nodes).sort()]).sort();
  return {
    ...{ transactions, bytes, gas, held: index.heldCount, parkedCount: index.parkedCount, worst: parking.worst?.hash },
    ages: [ages.admitted, ages.admittedHeight, ages.held, ages.parked, ages.checked, ages.checkedAway, ages.gossip].map(
      names,
    ),
    leased: names(ages.leased),
    tags: [claims, dependents, senders].map(sets),
    satisfied: satisfied.entries(),
    order: Array.from(order, ({ hash, place }) => ({ hash, ...place, effectivePriority: place.effectivePriority })),
    back: names(order.backwards()).reverse(),
    parked: names(parked),
    entries: Array.from(index.nodes(), ({ hash, seq, entry, stage }) => ({ hash, seq, entry, stage })).sort(
      (a, b) => a.seq - b.seq,
    ),
  };
}

/** A new index of the same transactions. */
function copyOf(index: PoolIndex): PoolIndex {
  const copy = new PoolIndex(index.limits);
  for (const { entry, stage } of index.nodes()) copy.put(entry, stage);
  settle(copy);
  return copy;
}

test(`after calls of chance, kept or undone, all lists are those of a new index of the same transactions (seed ${seed})`, () => {
  const chance = new Random(seed);
  const index = new PoolIndex(defaultLimits);
  let seq = 0;
  const change = (): void => {
    const entry = entryOf(chance, ++seq);
    const node = index.node(entry.hash);
    if (node === undefined || (node.stage === 'Dropped' && chance.below(2) === 0)) index.put(entry, 'Pending');
    else if (chance.below(4) === 0) index.number(node, chance.below(90));
    else if (chance.below(2) === 0) index.move(node, node.stage, otherEntry(chance, node.entry));
    else index.move(node, knownStages[chance.below(knownStages.length)] as PoolNode['stage']);
    settle(index);
  };
  for (let step = 0; step < 1_500; step++) {
    const before = step % 5 === 0 ? shownOf(index) : null;
    index.begin();
    for (let i = chance.below(5); i > 0; i--) change();
    if (chance.below(2) === 0) {
      index.begin();
      for (let i = chance.below(4); i > 0; i--) change();
      if (chance.below(2) === 0) index.keep();
      else index.undo();
    }
    const isKept = chance.below(2) === 0;
    if (isKept) index.keep();
    else index.undoCall();
    if (!isKept && before !== null) expect(shownOf(index)).toEqual(before);
    const [gone] = [...index.nodes()].filter(({ stage }) => stage === 'Dropped' || stage === 'Finalized');
    if (gone !== undefined && chance.below(3) === 0) index.remove(gone.hash);
    if (step % 5 === 0) expect(shownOf(index)).toEqual(shownOf(copyOf(index)));
  }
});

test('a call lists each transaction that it changed once, with its state before the call, and no entry is written into', () => {
  const index = new PoolIndex(defaultLimits);
  const entry: Entry = Object.freeze({ ...entryOf(new Random(1), 1), hash: 'aa', verdict: defaultVerdict });
  const node = index.put(entry, 'Pending');
  settle(index);
  const before = { entry, stage: 'Pending', place: node.place };
  index.begin();
  index.number(node, 7);
  index.begin();
  index.move(node, 'Propagated');
  expect(index.attempted()).toMatchObject([{ before: { stage: 'Pending', entry: { gossipSeq: 7 } } }]);
  index.keep();
  expect(index.touched()).toEqual([{ node, before }]);
  index.undo();
  expect(index.touched()).toEqual([]);
  expect({ entry: node.entry, stage: node.stage, place: node.place }).toEqual(before);
});
