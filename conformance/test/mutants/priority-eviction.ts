import type { Floor, Load } from 'mempool-core';
import type { CheckedSubmission, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { rivalsOf } from './priority-admission.ts';
import { loaded } from './priority-calls.ts';
import { leave, priority } from './priority-operators.ts';

const max = 2n ** 63n - 1n;

function divideUp(value: bigint, by: bigint): bigint {
  const cut = value / by;
  return value % by > 0n ? cut + 1n : cut;
}
const higher = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const sumOf = (nodes: readonly PoolNode[]): bigint =>
  nodes.reduce((sum, { entry }) => sum + entry.verdict.priority * BigInt(entry.bytes), 0n);

/** What is offered for the place of others. */
interface Offer {
  readonly one: CheckedSubmission;
  readonly rivals: readonly PoolNode[];
  /** Those who wait for the rivals. */
  readonly children: readonly PoolNode[];
  /** The rivals, and the ready ones that wait for what these provide and the newcomer does not. */
  readonly losers: readonly PoolNode[];
  readonly bytes: bigint;
  readonly bump: number;
  /** The price of the oldest rival. */
  readonly old: bigint;
  /** By the rule. */
  readonly due: bigint;
  readonly index: PoolIndex;
}

/** The price by the whole rule, but for what is changed. */
function _whole(offer: Offer, change: { due?: bigint; losers?: readonly PoolNode[]; least?: bigint } = {}): bigint {
  const { due, losers, bytes, least } = { ...offer, least: 1n, ...change };
  if (losers.length <= 1) return due;
  return higher(bytes === 0n ? max + 1n : divideUp(sumOf(losers) + least, bytes), due);
}

/** A rival that stays is replaced by one that comes alone. */
function replacing(id: string, isMeant: (rival: PoolNode, one: CheckedSubmission, index: PoolIndex) => boolean) {
  return priority.around(id, {
    admit: async ({ whole, index, given: [[one, ...more], ...rest] }) => {
      const told = await whole.admit(one === undefined ? [] : [one, ...more], ...rest);
      const rival = told[0]?.kind === 'conflict' ? index.node(told[0].with ?? '') : undefined;
      if (one === undefined || rival?.stage !== 'Pending' || !isMeant(rival, one, index)) return told;
      await leave(whole, rivalsOf(index, one), 'replaced');
      return whole.admit([one, ...more], ...rest);
    },
  });
}

/** P4: what a replacement leaves behind. */
export const replacementMutants: readonly Mutant[] = [
  replacing('parked-ones-replace-ready-ones', (rival, { verdict }, index) => {
    return verdict.requires.every((tag) => !index.providers.has(tag)) && rival.place?.ready === true;
  }),
];

function floored(id: string, floorOf: (load: Load, index: PoolIndex) => Floor): Mutant {
  return loaded(id, (load, { index }) => ({ floor: floorOf(load, index) }));
}
const needs = (priority: bigint): Floor => ({ kind: 'at-least', priority });
const more = (floor: Floor, by: bigint): Floor => (floor.kind === 'at-least' ? needs(floor.priority + by) : floor);

/** P5: who leaves. */
export const evictionMutants: readonly Mutant[] = [
  priority.ordered('evicted-told-in-order-of-leaving', ['admit'], (events) => {
    const gone = events.filter((event) => event.kind === 'transaction' && event.stage === 'Dropped').reverse();
    return [...gone, ...events.filter((event) => !gone.includes(event))];
  }),
];

/** P5: what it costs to come in. */
export const floorMutants: readonly Mutant[] = [floored('floor-one-more', ({ floor }) => more(floor, 1n))];
