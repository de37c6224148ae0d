import { Random, seed } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { Columns } from '../../src/memory/columns.ts';
import { type Ending, EndLog } from '../../src/memory/end-log.ts';
import { codeOf } from '../../src/memory/hash-code.ts';
import { PayloadSlabs } from '../../src/memory/payload-slabs.ts';
import { noSlot, Slots } from '../../src/memory/slots.ts';
import { SeqList } from '../../src/memory/stage-indexes.ts';

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

test(`a list by seq has what was inserted, in order, from any seq on, seed ${seed}`, () => {
  const random = new Random(seed);
  const list = new SeqList();
  const slotOf = new Map<number, number>();
  for (let step = 0; step < 5_000; step++) {
    const seq = 1 + random.below(20_000);
    const slot = slotOf.get(seq);
    if (slot === undefined) {
      list.insert(step, seq);
      slotOf.set(seq, step);
    } else {
      // Another slot at this seq is not in the list.
      list.delete(slot + 1, seq);
      list.delete(slot, seq);
      slotOf.delete(seq);
    }
    if (step % 250 > 0) continue;
    const after = random.below(21_000);
    const wanted = [...slotOf].filter(([at]) => at > after).sort(([a], [b]) => a - b);
    expect([...list.after(after)]).toEqual(wanted.map(([, at]) => at));
  }
  for (const [seq, slot] of slotOf) list.delete(slot, seq);
  expect([...list.after(0)]).toEqual([]);
});

test('the log keeps its newest entries through growth, and what later lives left in it', () => {
  const log = new EndLog();
  const ending = (at: number): Ending => {
    const state = { hash: '', seq: 0, stage: 'Dropped', tick: 0, confirmations: 0, nonConfirmations: 0 } as const;
    return log.endingOf({ ...state, reason: 'failed' }, null, at);
  };
  log.last = 5;
  for (let i = 0; i < 3_000; i++) expect(log.push(i, ending(Math.floor(i / 10)))).toBe(6 + i);
  expect(log.ending(6)).toBe(log.ending(15));
  expect(log.ending(15)).not.toBe(log.ending(16));
  const past = { hash: 'aa', seq: 9, facts: { receivedAt: 1, attempts: 0, sentAt: null } };
  log.leave(7, past);
  log.pushPast(past, ending(1));
  expect([log.oldest, log.last, log.length]).toEqual([6, 3_006, 3_001]);
  expect([6, 7, 3_005, 3_006].map((number) => log.past(number))).toEqual([null, past, null, past]);
  expect([log.shift(), log.shift(), log.shift()]).toEqual([0, noSlot, 2]);
  expect([log.oldest, log.slot(9), log.ending(9).at]).toEqual([9, 3, 0]);
});

/** Payloads of rows by slot, as the rows of a pool keep them. */
class Payloads {
  readonly columns: Columns = new Columns();
  readonly #slabs = new PayloadSlabs(this.columns);

  put(slot: number, payload: Uint8Array): void {
    this.#slabs.put(slot, payload);
    this.columns.arrive(slot, 1, 0, 0);
    this.columns.setPayload(slot, this.#slabs.slab, this.#slabs.start, payload.length);
  }

  view(slot: number): Buffer {
    const { slab, start, bytes } = this.columns.payload(slot);
    return this.#slabs.view(slab, start, bytes);
  }

  remove(slot: number): void {
    this.#slabs.remove(slot);
  }
}

test(`payloads are those of a Map, through moves and slots used again, and a view outlives its payload, seed ${seed}`, () => {
  const random = new Random(seed);
  const payloads = new Payloads();
  const kept = new Map<number, Uint8Array>();
  const views: [Buffer, Uint8Array][] = [];
  for (let step = 0; step < 20_000; step++) {
    const slot = random.below(300);
    const old = kept.get(slot);
    if (old !== undefined) {
      const view = payloads.view(slot);
      expect(view.equals(old)).toBe(true);
      if (step % 100 === 0) views.push([view, old]);
      // Some stay until their slab has long been given up.
      if (slot % 20 === 0 && random.below(50) > 0) continue;
      payloads.remove(slot);
      kept.delete(slot);
    } else {
      const bytes = new Uint8Array([0, 1, 40, 400, 4_096, 4_097, 9_000][random.below(7)] as number).fill(step);
      payloads.put(slot, bytes);
      kept.set(slot, bytes);
    }
  }
  for (const [slot, bytes] of kept) expect(payloads.view(slot).equals(bytes)).toBe(true);
  for (const [view, bytes] of views) expect(view.equals(bytes)).toBe(true);
});

test('a few payloads that stay among many that leave do not keep a slab each', () => {
  const payloads = new Payloads();
  const bytes = 300;
  const stayed: number[] = [];
  for (let slot = 0; slot < 100_000; slot++) {
    payloads.put(slot, new Uint8Array(bytes).fill(slot));
    if (slot % 100 === 0) stayed.push(slot);
    else payloads.remove(slot);
  }
  const slabs = new Set(stayed.map((slot) => payloads.columns.payload(slot).slab));
  // 32 KiB each, of which payloads with 4 bytes each take at least a quarter; and the one that is being filled.
  expect(slabs.size).toBeLessThanOrEqual((4 * (bytes + 4) * stayed.length) / 32_768 + 1);
  for (const slot of stayed) expect(payloads.view(slot).equals(Buffer.alloc(bytes, slot))).toBe(true);
});

test('payloads of one byte fill slabs, and none of them moves while all stay', () => {
  const payloads = new Payloads();
  const places: object[] = [];
  for (let slot = 0; slot < 20_000; slot++) {
    payloads.put(slot, Uint8Array.of(slot));
    places.push(payloads.columns.payload(slot));
  }
  for (const [slot, place] of places.entries()) {
    expect(payloads.columns.payload(slot)).toEqual(place);
    expect(payloads.view(slot).equals(Uint8Array.of(slot))).toBe(true);
  }
});
