import type { ReceiveOutcome } from 'mempool-core';
import type {
  Awaitable,
  CheckedMoment,
  CheckedSubmission,
  PoolIndex,
  PoolNode,
  WriteContext,
} from 'mempool-core/backend';
import { withEvents } from './fifo.ts';
import type { Mutant } from './mutant.ts';
import { refusing, rivalsOf, telling } from './priority-admission.ts';
import { lentTags, placing, type RankedDriver, ranking, seeing, settling } from './priority-pool.ts';

const max = 2n ** 63n - 1n;

function divideUp(value: bigint, by: bigint): bigint {
  const cut = value / by;
  return value % by > 0n ? cut + 1n : cut;
}

const bound = (old: bigint, bump: number): bigint => {
  const bumped = divideUp(old * BigInt(100 + bump), 100n);
  return bumped > old ? bumped : old + 1n;
};

const worth = ({ entry }: PoolNode): bigint => entry.verdict.priority * BigInt(entry.bytes);
const sumOf = (nodes: readonly PoolNode[]): bigint => nodes.reduce((sum, node) => sum + worth(node), 0n);

/** Ready ones that wait for what the replaced provide and the newcomer does not. */
function parkedBy(index: PoolIndex, rivals: readonly PoolNode[], { verdict }: CheckedSubmission): PoolNode[] {
  const lost = rivals.flatMap(({ entry }) => entry.verdict.provides).filter((tag) => !verdict.provides.includes(tag));
  return [...new Set(lost.flatMap((tag) => [...index.dependents.of(tag)]))].filter(
    ({ place }) => place?.ready === true,
  );
}

interface Offer {
  readonly one: CheckedSubmission;
  readonly rivals: readonly PoolNode[];
  readonly index: PoolIndex;
  /** By the rule. */
  readonly due: bigint;
}

/** Lets in what it likes: whoever is replaced counts for nothing while it is asked. */
function forced(
  driver: RankedDriver,
  { one, rivals, index }: Offer,
  ...rest: readonly [CheckedMoment, WriteContext]
): Awaitable<ReceiveOutcome[]> {
  for (const { hash } of [...rivals, ...parkedBy(index, rivals, one)]) {
    const node = index.node(hash);
    if (node !== undefined)
      index.move(node, node.stage, { ...node.entry, verdict: { ...node.entry.verdict, priority: -(2n ** 63n) } });
  }
  return driver.admit([one], ...rest);
}

function offerOf(one: CheckedSubmission, index: PoolIndex): Offer | null {
  const rivals = rivalsOf(index, one);
  const isKnown = index.node(one.hash) !== undefined && index.node(one.hash)?.stage !== 'Dropped';
  if (isKnown || rivals.length === 0 || rivals.some(({ stage }) => stage !== 'Pending')) return null;
  const dues = rivals.map(({ entry }) => bound(entry.verdict.priority, index.limits.replacementBump));
  const [due = 0n] = dues.sort((a, b) => (a < b ? 1 : -1));
  return { one, rivals, index, due };
}

/** A price of its own for what one that comes alone replaces; what pays it is let in, whatever the rules say. */
function pricing(id: string, price: (offer: Offer) => bigint): Mutant {
  return ranking(id, (driver, { index }) => ({
    admit: (submissions, moment, context) => {
      const [one] = submissions;
      const offer = one === undefined || submissions.length > 1 ? null : offerOf(one, index);
      if (offer === null) return driver.admit(submissions, moment, context);
      const required = price(offer);
      const { hash, verdict } = offer.one;
      if (verdict.priority >= required) return forced(driver, offer, moment, context);
      return [{ kind: 'replacement-underpriced', hash, required: required > max ? max : required }];
    },
  }));
}

/** The price by the whole rule, but for what is changed. */
function whole(offer: Offer, losers: readonly PoolNode[], least: 0 | 1 = 1): bigint {
  const { one, due } = offer;
  const bytes = BigInt(one.payload.length);
  if (losers.length <= 1) return due;
  const needed = bytes === 0n ? max + 1n : divideUp(sumOf(losers) + BigInt(least), bytes);
  return needed > due ? needed : due;
}

const losersOf = ({ one, rivals, index }: Offer): PoolNode[] => [...rivals, ...parkedBy(index, rivals, one)];
const oldOf = ({ rivals }: Offer): bigint => rivals[0]?.entry.verdict.priority ?? 0n;

/** P4: what it takes to replace another. */
export const priceMutants: readonly Mutant[] = [
  pricing('bump-rounded-down', (offer) => {
    const { replacementBump } = offer.index.limits;
    const cut = (oldOf(offer) * BigInt(100 + replacementBump)) / 100n;
    return cut > oldOf(offer) ? cut : oldOf(offer) + 1n;
  }),
  pricing('bump-by-doubles', (offer) => {
    const bumped = BigInt(Math.ceil((Number(oldOf(offer)) * (100 + offer.index.limits.replacementBump)) / 100));
    return bumped > oldOf(offer) ? bumped : oldOf(offer) + 1n;
  }),
  pricing('bump-of-the-size-below-zero', (offer) => {
    const old = oldOf(offer);
    const size = old < 0n ? -old : old;
    const bumped = old + divideUp(size * BigInt(offer.index.limits.replacementBump), 100n);
    return old < -50n && bumped > old ? bumped : whole(offer, losersOf(offer));
  }),
  pricing('no-price-below-one', (offer) => {
    const due = whole(offer, losersOf(offer));
    return due < 1n ? 1n : due;
  }),
  pricing('same-price-is-enough', (offer) =>
    offer.index.limits.replacementBump === 0 ? oldOf(offer) : whole(offer, losersOf(offer)),
  ),
  pricing('nought-replaced-by-nought', (offer) => (oldOf(offer) === 0n ? 0n : whole(offer, losersOf(offer)))),
  pricing('one-more-than-the-bump', (offer) => whole(offer, losersOf(offer)) + 1n),
  pricing('one-less-than-the-bump', (offer) => whole(offer, losersOf(offer)) - 1n),
  pricing('one-more-is-enough', (offer) => oldOf(offer) + 1n),
  pricing('bump-of-fifty-per-cent-at-most', (offer) => {
    const due = bound(oldOf(offer), Math.min(50, offer.index.limits.replacementBump));
    return whole({ ...offer, due }, losersOf(offer));
  }),
  pricing('bump-of-ten-per-cent-always', (offer) => whole({ ...offer, due: bound(oldOf(offer), 10) }, losersOf(offer))),
  pricing('price-cut-to-the-highest', (offer) => {
    const due = whole(offer, losersOf(offer));
    return due > max ? max : due;
  }),
  pricing('first-of-several-sets-the-price', (offer) => {
    const { replacementBump } = offer.index.limits;
    return whole({ ...offer, due: bound(oldOf(offer), replacementBump) }, losersOf(offer));
  }),
  pricing('no-sum-asked-for', ({ due }) => due),
  pricing('sum-met-is-enough', (offer) => whole(offer, losersOf(offer), 0)),
  pricing('sum-asked-of-one-too', (offer) => {
    const bytes = BigInt(offer.one.payload.length);
    const needed = bytes === 0n ? max : divideUp(sumOf(offer.rivals) + 1n, bytes);
    return needed > offer.due ? needed : offer.due;
  }),
  pricing('sum-without-the-parked', (offer) => whole(offer, offer.rivals)),
  pricing('sum-of-all-children', (offer) => {
    const tags = offer.rivals.flatMap(({ entry }) => entry.verdict.provides);
    const children = tags.flatMap((tag) => [...offer.index.dependents.of(tag)]);
    return whole(offer, [...offer.rivals, ...new Set(children)]);
  }),
  pricing('children-pin-by-their-size', (offer) => {
    const tags = offer.rivals.flatMap(({ entry }) => entry.verdict.provides);
    const children = [...new Set(tags.flatMap((tag) => [...offer.index.dependents.of(tag)]))];
    const isPinned = children.some(({ entry }) => entry.bytes > 10_000);
    return isPinned ? max : whole(offer, losersOf(offer));
  }),
  pricing('empty-one-exceeds-any-sum', (offer) =>
    offer.one.payload.length === 0 ? offer.due : whole(offer, losersOf(offer)),
  ),
  pricing('sum-of-sizes-below-zero', (offer) => {
    const sum = sumOf(losersOf(offer));
    return sum < 0n && losersOf(offer).length > 1 ? -sum : whole(offer, losersOf(offer));
  }),
  pricing('sum-cut-towards-zero', (offer) => {
    const [sum, bytes] = [sumOf(losersOf(offer)), BigInt(offer.one.payload.length)];
    const price = whole(offer, losersOf(offer));
    return sum < 0n && bytes > 0n && losersOf(offer).length > 1 && sum / bytes + 1n > price ? sum / bytes + 1n : price;
  }),
  pricing('sum-by-doubles', (offer) => {
    const [sum, bytes] = [BigInt(Number(sumOf(losersOf(offer)))), BigInt(offer.one.payload.length)];
    return bytes === 1n && losersOf(offer).length > 1 ? sum + 1n : whole(offer, losersOf(offer));
  }),
  telling('price-told-as-one-that-can-be-paid', (outcome) =>
    outcome.kind === 'replacement-underpriced' && outcome.required > max ? { ...outcome, required: max } : outcome,
  ),
  telling('own-price-told', (outcome, { verdict }) =>
    outcome.kind === 'replacement-underpriced' ? { ...outcome, required: verdict.priority } : outcome,
  ),
];

/** P4: what a replacement leaves behind. */
export const replacementMutants: readonly Mutant[] = [
  seeing('same-nonce-never-noticed', ['admit'], ({ given, index }) => {
    const own = new Set((given[0] as readonly CheckedSubmission[]).flatMap(({ verdict }) => verdict.provides));
    return { providers: lentTags((tag) => (own.has(tag) ? new Set<PoolNode>() : index.providers.of(tag))) };
  }),
  seeing('parked-ones-never-replaced', ['admit'], ({ index }) => ({
    providers: lentTags((tag) => new Set([...index.providers.of(tag)].filter(({ place }) => place?.ready !== false))),
  })),
  ranking('replacing-drops-the-children', (driver, { index }) => ({
    admit: async (submissions, moment, context) => {
      const rivals = submissions.flatMap((one) => rivalsOf(index, one));
      const children = rivals
        .flatMap(({ entry }) => entry.verdict.provides)
        .flatMap((tag) => [...index.dependents.of(tag)]);
      const outcomes = await driver.admit(submissions, moment, context);
      if (outcomes[0]?.kind === 'received')
        await driver.drop([...new Set(children.map(({ hash }) => hash))], 'replaced', {
          ...context,
          operationId: undefined,
        });
      return outcomes;
    },
  })),
  ranking('senders-have-one-at-the-best-price', (driver, { index }) => ({
    admit: async (submissions, moment, context) => {
      const outcomes = await driver.admit(submissions, moment, context);
      for (const { hash, verdict } of submissions) {
        const cheaper = [...index.nodes()].filter(({ entry, stage }) => {
          const { sender, priority } = entry.verdict;
          return stage === 'Pending' && sender !== '' && sender === verdict.sender && priority < verdict.priority;
        });
        const hashes = cheaper.map((node) => node.hash).filter((other) => other !== hash);
        await driver.drop(hashes, 'replaced', { ...context, operationId: undefined });
      }
      return outcomes;
    },
  })),
  refusing('replacing-a-parent-is-a-circle', (one, index) => {
    const given = rivalsOf(index, one).flatMap(({ entry }) => entry.verdict.provides);
    return one.verdict.requires.some((tag) => given.includes(tag)) ? { kind: 'cycle', hash: one.hash } : null;
  }),
  placing('replacement-at-the-old-place', (place, { seq, verdict }, index) => {
    const gone = [...index.nodes()].filter(({ stage, entry }) => {
      const isSame = entry.verdict.provides.some((tag) => verdict.provides.includes(tag));
      return stage === 'Dropped' && isSame && entry.seq < seq;
    });
    return gone.length === 0 ? place : { ...place, anchor: Math.min(place.anchor, ...gone.map((node) => node.seq)) };
  }),
  settling('replaced-told-as-evicted', ['admit'], (step) =>
    withEvents(step, (event) => (event.reason === 'replaced' ? { ...event, reason: 'evicted' } : event)),
  ),
  settling('successor-told-first', ['admit'], (step) => {
    const last = step.events.at(-1);
    if (last?.kind !== 'transaction' || last.stage !== 'Pending' || step.events.length !== 2) return step;
    return {
      ...step,
      events: [last, ...step.events.slice(0, -1)].map((event, i) => ({ ...event, eventSeq: last.eventSeq - 1 + i })),
    };
  }),
  refusing('replacement-needs-a-place-of-its-own', (one, index) => {
    const { hash } = one;
    const isFull = index.totals.transactions >= index.limits.maxTxs;
    return isFull && rivalsOf(index, one).length > 0 ? { kind: 'full', hash, floor: null } : null;
  }),
  ranking('replaced-go-although-there-is-no-room', (driver, { index }) => ({
    admit: async (submissions, moment, context) => {
      const rivals = submissions.flatMap((one) => rivalsOf(index, one)).map(({ hash }) => hash);
      const outcomes = await driver.admit(submissions, moment, context);
      if (outcomes.some(({ kind }) => kind === 'full'))
        await driver.drop(rivals, 'replaced', { ...context, operationId: undefined });
      return outcomes;
    },
  })),
];
