import { Random, seed } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { AgeList } from '../../src/priority/age-lists.ts';
import type { PoolNode } from '../../src/priority/pool-node.ts';

interface Aged {
  readonly name: number;
  seq: number;
  age: number | null;
}

const keyOf = (node: PoolNode): number | null => (node as unknown as Aged).age;
const asNode = (aged: Aged): PoolNode => Object.assign(aged, { slot: aged.name }) as unknown as PoolNode;
const named = (nodes: Iterable<PoolNode>): number[] => Array.from(nodes, (node) => (node as unknown as Aged).name);

/** A list, and what is in it by an array. The slot of each is its name. */
class Watched {
  readonly all: Aged[] = [];
  readonly #stamps: number[] = [];
  readonly list = new AgeList(keyOf, {
    at: (slot) => asNode(this.all.find(({ name }) => name === slot) as Aged),
    stampOf: (slot) => {
      this.asked += 1;
      return this.#stamps[slot] ?? 0;
    },
  });
  asked = 0;
  #changes = 0;

  change(aged: Aged, { age, seq }: Pick<Aged, 'age' | 'seq'>): void {
    this.#stamps[aged.name] = (this.#stamps[aged.name] ?? 0) + 1;
    Object.assign(aged, { age, seq });
    this.list.add(asNode(aged));
    this.#changes += 1;
    if (this.#changes % 256 === 0) this.list.tidyNext();
  }

  due(after: number): number[] {
    const due = this.all.filter(({ age }) => age !== null && age > after);
    return due.sort((a, b) => (a.age as number) - (b.age as number) || a.seq - b.seq).map(({ name }) => name);
  }
}

function filled(count: number, age: (i: number) => number): Watched {
  const watched = new Watched();
  for (let i = 1; i <= count; i++) {
    const aged: Aged = { name: i, seq: i, age: null };
    watched.all.push(aged);
    watched.change(aged, { age: age(i), seq: i });
  }
  return watched;
}

test(`a list that many leave, and that some come back to, is by number and then by seq (seed ${seed})`, () => {
  const chance = new Random(seed);
  const watched = filled(1_500, () => chance.below(20));
  let seqs = watched.all.length;
  for (let step = 0; step < 20_000; step++) {
    const aged = watched.all[chance.below(watched.all.length)] as Aged;
    const seq = chance.below(4) === 0 ? ++seqs : aged.seq;
    watched.change(aged, { age: chance.below(2) === 0 ? null : chance.below(20), seq });
    if (step % 500 !== 0) continue;
    const after = chance.below(20) - 1;
    expect(named(watched.list.after(after))).toEqual(watched.due(after));
    expect(named(watched.list)).toEqual(watched.due(-1));
  }
});

test('one that comes back to the place that another was refused at since is listed once', () => {
  const watched = filled(3, () => 5);
  const [first, second] = watched.all as [Aged, Aged];
  for (const aged of [first, second, first]) {
    for (const other of [first, second]) watched.change(other, { age: null, seq: other.name });
    watched.change(aged, { age: 5, seq: 9 });
  }
  expect(named(watched.list)).toEqual([3, 1]);
});

test('what has left is not kept, whether or not anybody walks the list', () => {
  const watched = filled(10_000, (i) => i);
  const stayed = { name: 0, seq: 20_000, age: null };
  watched.all.push(stayed);
  watched.change(stayed, { age: 20_000, seq: 20_000 });
  for (const aged of watched.all.slice(0, -1)) watched.change(aged, { age: null, seq: aged.seq });
  for (const _ of Array(10_000)) watched.change(stayed, { age: 20_000, seq: 20_000 });
  watched.asked = 0;
  expect(named(watched.list)).toEqual([0]);
  expect(watched.asked).toBeLessThan(1_000);
});

test.for([
  ['the same place', 1_000, (): number => 1],
  ['the end', 1_000, (now: number): number => now],
  ['any place', 1_000, (now: number): number => (now * 7_919) % 1_009],
] as const)('what leaves and comes back to %s again and again is kept a few times at most', ([, count, age]) => {
  const watched = filled(count, age);
  let now = count;
  for (const _ of Array(60)) for (const aged of watched.all) watched.change(aged, { age: age(++now), seq: aged.seq });
  watched.asked = 0;
  expect(named(watched.list)).toEqual(watched.due(-1));
  expect(watched.asked).toBeLessThan(6 * count);
});
