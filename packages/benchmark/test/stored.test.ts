import { describe, expect, test } from 'vitest';
import { freshTransactions, hashesOf } from '../src/workloads/sample.ts';
import { Stored } from '../src/workloads/stored.ts';

function stored(count: number) {
  const transactions = freshTransactions(count);
  const all = new Stored(count);
  all.add(transactions);
  return { all, hashes: hashesOf(transactions) };
}

describe('what is stored', () => {
  test('is handed out as different hashes from all over, other ones each time', () => {
    const { all, hashes } = stored(30);
    const [first, second] = [all.some(10), all.some(10)];
    expect(new Set(first).size).toBe(10);
    expect(hashes).toEqual(expect.arrayContaining([...first, ...second]));
    expect(second).not.toEqual(first);
  });

  test('is handed out whole where more is asked for', () => {
    const { all, hashes } = stored(5);
    expect(all.some(100)).toEqual(hashes);
  });

  test('can be had in its order from a place that leaves room for as many', () => {
    const { all, hashes } = stored(25);
    for (let i = 0; i < 5; i++) {
      const place = all.place(10);
      expect(all.run(place, 10)).toEqual(hashes.slice(place, place + 10));
      expect(place + 10).toBeLessThanOrEqual(25);
    }
  });
});
