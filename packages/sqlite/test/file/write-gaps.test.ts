import { expect, test } from 'vitest';
import { WriteGaps } from '../../src/file/write-gaps.ts';
import { numbers } from '../numbered.ts';

/** Transactions of one process, by a clock of the test. */
class Writer {
  #now = 0;
  readonly gaps = new WriteGaps(() => this.#now);

  pass(ms: number): void {
    this.#now += ms;
  }

  /** Returns the gap after a transaction. */
  write(ms: number): number {
    this.gaps.begin();
    this.pass(ms);
    this.gaps.end();
    return this.gaps.remainingMs;
  }
}

test('a process that meets nobody leaves no gap, until it wrote for 100 ms without one', () => {
  const writer = new Writer();
  expect(numbers(9).map(() => writer.write(10))).toEqual(Array(9).fill(0));
  expect(writer.write(10)).toBe(3);
  writer.pass(3);
  expect(writer.write(99)).toBe(0);
  expect(writer.write(1)).toBe(3);
});

test('a pause of its own counts as a gap', () => {
  const writer = new Writer();
  for (const _ of numbers(50)) {
    expect(writer.write(10)).toBe(0);
    writer.pass(3);
  }
});

test('a process that met others leaves a gap of 1 to 4 ms after each transaction, for 200 ms', () => {
  const writer = new Writer();
  writer.gaps.meet();
  const seen = new Set<number>();
  for (const _ of numbers(500)) {
    writer.gaps.meet();
    seen.add(writer.write(1));
    writer.pass(4);
  }
  expect([...seen].sort()).toEqual([1, 2, 3, 4]);
  expect(writer.write(150)).toBeGreaterThan(0);
  writer.pass(50);
  expect(writer.write(1)).toBe(0);
});

test('a gap that has passed is not waited for again', () => {
  const writer = new Writer();
  writer.gaps.meet();
  writer.write(1);
  writer.pass(4);
  expect(writer.gaps.remainingMs).toBe(0);
});
