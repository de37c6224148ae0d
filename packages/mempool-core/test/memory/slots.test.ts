import { Random, seed } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { codeOf } from '../../src/memory/hash-code.ts';
import { noSlot, Slots } from '../../src/memory/slots.ts';

/** Hashes of all lengths, of which most differ in a few digits only. */
function hashOf(number: number): string {
  const digits = number.toString(16).padStart(4, '0');
  const forms = [digits, digits.padStart(64, '0'), digits.padEnd(128, '0'), `${digits}c`, `ff${digits}`];
  return forms[number % forms.length] as string;
}

test.each([8, 3_000])(
  `slots of %i hashes are those of a Map, through growth, removal and use again, seed ${seed}`,
  (most) => {
    const random = new Random(seed);
    const slots = new Slots();
    const known = new Map<string, { slot: number; holders: number }>();
    for (let step = 0; step < 30_000; step++) {
      const hash = hashOf(random.below(most));
      const one = known.get(hash);
      expect(slots.find(hash)).toBe(one?.slot ?? noSlot);
      if (one === undefined) {
        const slot = slots.hold(hash);
        known.set(hash, { slot, holders: 1 });
      } else if (random.below(3) === 0 && one.holders < 3) {
        one.holders += 1;
        if (random.below(2) === 0) slots.share(one.slot);
        else expect(slots.hold(hash)).toBe(one.slot);
      } else {
        expect(slots.hashOf(one.slot)).toBe(hash);
        slots.release(one.slot);
        one.holders -= 1;
        if (one.holders === 0) known.delete(hash);
      }
    }
    const inUse = Array.from(known.values(), ({ slot }) => slot).sort((a, b) => a - b);
    expect([...slots.all()]).toEqual(inUse);
    expect(new Set(inUse).size).toBe(inUse.length);
  },
);

test.each([
  [4, 3],
  [4, 0],
  [2, 1],
  [2, 0],
  [8, 7],
])('hashes chosen to differ in one of %i digits, the one at %i, come to as many places as others', (digits, at) => {
  // These two digits differ in their upper bits only.
  const piece = (isOther: boolean) => `${'0'.repeat(at)}${isOther ? 'a' : '1'}`.padEnd(digits, '0');
  const hashes = Array.from({ length: 4_096 }, (_, n) =>
    Array.from({ length: 128 / digits }, (_, i) => piece(((n >> (i % 12)) & 1) === 1 && i < 12)).join(''),
  );
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(new Set(hashes.map((hash) => codeOf(hash) >>> 16)).size).toBeGreaterThan(1_000);
});
