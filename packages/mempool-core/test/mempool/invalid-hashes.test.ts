import { describe, expect, it } from 'vitest';
import type { Transaction } from '../../src/contract/transaction.ts';
import { InvalidHashes } from '../../src/mempool/invalid-hashes.ts';

const transaction = (n: number, payload = n): Transaction => ({
  hash: n.toString(16).padStart(4, '0'),
  payload: new Uint8Array([payload]),
  payloadType: 0,
});
const refusal = (code: number) => ({ code, log: 'bad', penalize: true });

/** A list, and its clock. */
function open(limits: { maxInvalid?: number; keepInvalidMs?: number } = {}) {
  const time = { nowMs: 1_000 };
  const list = new InvalidHashes({ maxInvalid: 3, keepInvalidMs: 100, ...limits, clock: () => time.nowMs });
  return { list, time };
}

describe('the list of what was refused', () => {
  it('answers with the refusal until its time is over, and keeps nothing after it', () => {
    const { list, time } = open();
    list.add(transaction(1), null, refusal(7));
    time.nowMs += 99;
    expect(list.find(transaction(1), null)).toEqual(refusal(7));
    time.nowMs += 1;
    expect([list.find(transaction(1), null), list.size]).toEqual([null, 0]);
  });

  it('never holds more than it may: the oldest goes first', () => {
    const { list } = open();
    for (const n of [1, 2, 3, 4]) list.add(transaction(n), null, refusal(n));
    expect(list.size).toBe(3);
    expect([1, 2, 3, 4].map((n) => list.find(transaction(n), null)?.code)).toEqual([undefined, 2, 3, 4]);
  });

  it('counts from the latest refusal of a hash', () => {
    const { list, time } = open();
    list.add(transaction(1), null, refusal(1));
    time.nowMs += 60;
    list.add(transaction(2), null, refusal(2));
    list.add(transaction(1), null, refusal(9));
    time.nowMs += 60;
    expect(list.find(transaction(1), null)?.code).toBe(9);
    list.add(transaction(3), null, refusal(3));
    list.add(transaction(4), null, refusal(4));
    expect([1, 2].map((n) => list.find(transaction(n), null)?.code)).toEqual([9, undefined]);
  });

  it('says nothing of other bytes under the same hash', () => {
    const { list } = open();
    list.add(transaction(1, 66), null, refusal(1));
    expect(list.find(transaction(1), null)).toBeNull();
    expect(list.find({ ...transaction(1, 66), payloadType: 1 }, null)).toBeNull();
    expect(list.find(transaction(1, 66), null)).toEqual(refusal(1));
  });

  it('says nothing after another block', () => {
    const { list } = open();
    list.add(transaction(1), 'aa', refusal(1));
    expect([list.find(transaction(1), 'bb'), list.find(transaction(1), null)]).toEqual([null, null]);
    expect(list.find(transaction(1), 'aa')).toEqual(refusal(1));
  });

  it('is off with a time of 0', () => {
    const { list } = open({ keepInvalidMs: 0 });
    list.add(transaction(1), null, refusal(1));
    expect([list.find(transaction(1), null), list.size]).toEqual([null, 0]);
  });
});
