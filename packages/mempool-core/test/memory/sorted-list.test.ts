import { Random, seed } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { SortedList } from '../../src/memory/sorted-list.ts';

interface Item {
  readonly rank: number;
  readonly seq: number;
}

const order = { rank: ({ rank }: Item) => rank, compare: (a: Item, b: Item) => a.seq - b.seq };
const compare = (a: Item, b: Item): number => a.rank - b.rank || a.seq - b.seq;

test(`a list has what was inserted, in order, from any key on, and backwards, seed ${seed}`, () => {
  const chance = new Random(seed);
  const list = new SortedList<Item>(order);
  let items: Item[] = [];
  for (let seq = 0; seq < 6_000; seq++) {
    // Negative, and for a while each behind all others: so a chunk comes after a full one.
    const item = { rank: seq % 2_000 < 500 ? seq : chance.below(50) - 50, seq };
    items = [...items, item].sort(compare);
    list.insert(item);
    while (items.length > 0 && chance.below(5) < (seq % 3_000 > 2_000 ? 4 : 2)) {
      const place = chance.below(2) === 0 ? items.length - 1 : chance.below(items.length);
      list.delete(items.splice(place, 1)[0] as Item);
    }
    expect([list.length, list.first, list.last]).toEqual([items.length, items[0], items.at(-1)]);
    if (seq % 200 > 0) continue;
    const key = { rank: chance.below(50) - 50, seq: chance.below(seq + 1) };
    const after = items.filter((each) => compare(each, key) > 0);
    expect([...list]).toEqual(items);
    expect([...list.after(key)]).toEqual(after);
    expect([...list.upTo(key)]).toEqual(items.filter((each) => compare(each, key) <= 0));
    expect(list.countAfter(key)).toBe(after.length);
    expect([...list.backwards()]).toEqual(items.toReversed());
  }
});

test('a change in a list of a million compares as few items as its logarithm', () => {
  let compared = 0;
  const list = new SortedList<Item>({
    rank: () => 0,
    compare: (a, b) => {
      compared += 1;
      return compare(a, b);
    },
  });
  for (let seq = 0; seq < 1_000_000; seq++) list.insert({ rank: 0, seq });
  compared = 0;
  const item = { rank: 0, seq: 400_000.5 };
  list.insert(item);
  list.delete(item);
  expect(compared).toBeLessThan(60);
});
