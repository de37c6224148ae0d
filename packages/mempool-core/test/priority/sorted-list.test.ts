import { Random, seed } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { SortedList } from '../../src/priority/sorted-list.ts';

interface Item {
  readonly rank: number;
  readonly seq: number;
}

class Watched {
  made = 0;
  readonly list = new SortedList<Item, Item, string>({
    rough: ({ rank }) => rank,
    compare: (a, b) => a.seq - b.seq,
    show: ({ rank, seq }) => {
      this.made += 1;
      return `${rank}/${seq}`;
    },
  });

  shown(count: number): string[] {
    const seen: string[] = [];
    this.list.walk((shown, { rank, seq }) => {
      expect(shown).toBe(`${rank}/${seq}`);
      return seen.push(shown) < count;
    });
    return seen;
  }
}

test(`a walk shows what is in the list by then, in its order (seed ${seed})`, () => {
  const chance = new Random(seed);
  const watched = new Watched();
  const items: Item[] = [];
  for (let seq = 0; seq < 6_000; seq++) {
    const item = { rank: chance.below(50), seq };
    items.push(item);
    watched.list.insert(item);
    if (chance.below(3) === 0) watched.list.delete(items.splice(chance.below(items.length), 1)[0] as Item);
    if (seq % 100 > 0) continue;
    const sorted = items.toSorted((a, b) => a.rank - b.rank || a.seq - b.seq).map(({ rank, seq }) => `${rank}/${seq}`);
    const count = 1 + chance.below(1_000);
    expect(watched.shown(count)).toEqual(sorted.slice(0, count));
  }
});

test('a change makes a walk look again at no more than the chunk that it happened in', () => {
  const watched = new Watched();
  for (let seq = 0; seq < 10_000; seq++) watched.list.insert({ rank: seq, seq });
  watched.shown(2_000);
  expect(watched.made).toBe(2_000);
  watched.shown(2_000);
  expect(watched.made).toBe(2_000);
  watched.list.insert({ rank: 700, seq: 20_000 });
  watched.shown(2_000);
  expect(watched.made - 2_000).toBeLessThanOrEqual(257);
  watched.list.insert({ rank: 9_000, seq: 20_001 });
  const made = watched.made;
  watched.shown(2_000);
  expect(watched.made).toBe(made);
});

test(`its ends, what comes after a key and what is left without the last are those of a sorted array (seed ${seed})`, () => {
  const chance = new Random(seed);
  const { list } = new Watched();
  let items: Item[] = [];
  for (let seq = 0; seq < 6_000; seq++) {
    // Negative, and for a while each behind all others: so a chunk comes after a full one.
    const item = { rank: seq % 2_000 < 500 ? seq : chance.below(50) - 50, seq };
    items = [...items, item].sort((a, b) => a.rank - b.rank || a.seq - b.seq);
    list.insert(item);
    while (items.length > 0 && chance.below(5) < (seq % 3_000 > 2_000 ? 4 : 2)) {
      items.pop();
      list.pop();
    }
    expect([list.length, list.first, list.last]).toEqual([items.length, items[0], items.at(-1)]);
    expect(list.lastRough).toBe(items.at(-1)?.rank ?? Number.NEGATIVE_INFINITY);
    if (seq % 200 > 0) continue;
    const key = { rank: chance.below(50) - 50, seq: chance.below(seq + 1) };
    const after = items.filter(({ rank, seq }) => rank > key.rank || (rank === key.rank && seq > key.seq));
    expect([...list.after(key)]).toEqual(after);
    expect(list.countAfter(key)).toBe(after.length);
    expect([...list.backwards()]).toEqual(items.toReversed());
  }
});
