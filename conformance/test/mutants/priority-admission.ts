import type { AdmissionRefusal, ReceiveOutcome } from 'mempool-core';
import type { CheckedSubmission, PoolIndex, PoolNode } from 'mempool-core/backend';
import { over } from './lease-operators.ts';
import type { Mutant } from './mutant.ts';
import { leave, priority, withLimits } from './priority-operators.ts';
import { misheard, parentsOf, unmetOf } from './priority-order.ts';
import { pools } from './store-operators.ts';

export const isRefusal = (outcome: ReceiveOutcome): outcome is AdmissionRefusal =>
  outcome.kind !== 'received' && outcome.kind !== 'duplicate';

/** Refuses one that comes alone before the rules are asked, where this answers anything. */
export function refusing(
  id: string,
  refusal: (one: CheckedSubmission, index: PoolIndex) => Refusal | false | undefined,
): Mutant {
  return priority.instead(id, {
    admit: ({ index, given: [[one, ...more]] }) => {
      const refused = one !== undefined && more.length === 0 && refusal(one, index);
      return refused && [{ hash: one.hash, ...refused }];
    },
  });
}

type Refusal = { readonly kind: string } & object;

/** The first of those that a call submits. */
export const newcomer = (given: readonly unknown[]): CheckedSubmission | undefined =>
  (given[0] as readonly CheckedSubmission[])[0];

/** Something leaves as evicted before a newcomer is admitted. */
export function pushing(
  id: string,
  choose: (one: CheckedSubmission, index: PoolIndex) => PoolNode | undefined,
): Mutant {
  return priority.given(id, {
    admit: ([one], { whole, index }) => {
      const victim = one && choose(one, index);
      // At once where nothing leaves: a call that begins late has another fault.
      return victim && leave(whole, [victim], 'evicted').then(() => null);
    },
  });
}

/** Tells an outcome that is another than the one due. */
export function telling<Kind extends ReceiveOutcome['kind']>(
  id: string,
  kinds: readonly Kind[],
  tell: (told: Extract<ReceiveOutcome, { kind: Kind }>, one: CheckedSubmission, index: PoolIndex) => object | false,
): Mutant {
  return priority.told(id, {
    admit: (told, { given: [all], index }) =>
      told.map((one, i) => {
        const isMeant = (kinds as readonly string[]).includes(one.kind);
        return isMeant ? { ...one, ...(tell(one as never, all[i] as CheckedSubmission, index) || {}) } : one;
      }),
  });
}

export function rivalsOf(index: PoolIndex, { verdict }: CheckedSubmission): PoolNode[] {
  return [...new Set(verdict.provides.flatMap((tag) => [...index.providers.of(tag)]))].sort((a, b) => a.seq - b.seq);
}

/** Pending ancestors by the ways that lead to them. */
function waysUp(index: PoolIndex, parents: readonly PoolNode[]): number {
  return parents.reduce((sum, { entry }) => sum + 1 + waysUp(index, parentsOf(index, entry)), 0);
}

function waitingFor(index: PoolIndex, from: readonly PoolNode[]): Set<PoolNode> {
  const met = new Set<PoolNode>();
  const childrenOf = ({ entry }: PoolNode) => entry.verdict.provides.flatMap((tag) => [...index.dependents.of(tag)]);
  for (const child of from.flatMap(childrenOf)) met.add(child);
  for (const node of met) for (const child of childrenOf(node)) met.add(child);
  return met;
}

function pendingParents(index: PoolIndex, { verdict }: CheckedSubmission): PoolNode[] {
  return [...new Set(unmetOf(index, verdict.requires).flatMap((tag) => [...index.providers.of(tag)]))];
}

/** Whether one that comes would be parked beyond the limit. */
export function isParkedTooMuch(index: PoolIndex, { verdict }: CheckedSubmission): boolean {
  const lacks = unmetOf(index, verdict.requires).some((tag) => index.providers.of(tag).size === 0);
  return lacks && index.parked.length + 1 > index.limits.maxParked;
}

export const limit = (name: string): Refusal & { readonly limit: string } => ({ kind: 'limit', limit: name });

/** Sources kept in another way, by those known before the call. */
function sources(id: string, grow: (known: readonly string[], from: string) => readonly string[]): Mutant {
  return priority.around(id, {
    admit: async ({ whole, index, given }) => {
      const [submissions] = given;
      const before = submissions.map(({ hash }) => index.node(hash)?.entry.sources);
      const outcomes = await whole.admit(...given);
      for (const [i, { hash, from }] of submissions.entries()) {
        const [node, known] = [index.node(hash), before[i]];
        if (node === undefined || from === null || known === undefined) continue;
        index.move(node, node.stage, { ...node.entry, sources: grow(known, from) });
      }
      return outcomes;
    },
  });
}

/** Those whose source is not noted. */
function sourceless(
  id: string,
  isMeant: (one: CheckedSubmission, index: PoolIndex, told: Set<string>) => boolean,
): Mutant {
  return priority.given(id, {
    admit: (submissions, { index }) => {
      const told = new Set<string>();
      return submissions.map((one) => {
        const made = isMeant(one, index, told) ? { ...one, from: null } : one;
        told.add(one.hash);
        return made;
      });
    },
  });
}

const without = Number.POSITIVE_INFINITY;

/** P3: what refuses, in which order, and what a refusal leaves. */
export const admissionMutants: readonly Mutant[] = [
  ...(['Propagated', 'Acknowledged', 'Confirmed'] as const).map((stage) =>
    priority.overlooks(`conflicts-with-${stage.toLowerCase()}-overlooked`, ['admit'], (node) => node.stage === stage),
  ),
  priority.decided('refused-ones-take-a-gossip-number', ['admit'], ({ outcome }, { index }) => {
    index.lastGossipSeq += (outcome as ReceiveOutcome[]).filter(isRefusal).length;
    return null;
  }),
  pools.instead('every-one-judged-by-itself', {
    receive: async ({ store, given: [batch, options] }) => {
      const alone = (one: (typeof batch)[number]) => store.receive([one], { ...options, operationId: undefined });
      return batch.length <= 60 && (await Promise.all(batch.map(alone))).flat();
    },
  }),
  pools.told('refused-ones-repeated-are-duplicates', {
    receive: (told) =>
      told.map((one, i) => {
        const isAgain = told.findIndex(({ hash }) => hash === one.hash) < i;
        return isAgain && isRefusal(one) ? { kind: 'duplicate', hash: one.hash, stage: 'Pending' } : one;
      }),
  }),
  telling('conflict-with-the-last', ['conflict'], (told, one, index) => {
    const settled = rivalsOf(index, one).filter(({ stage }) => stage !== 'Pending');
    return { with: settled.at(-1)?.hash ?? told.with };
  }),
  telling('senders-told-before-spent-tags', ['conflict'], (told, { verdict: { sender } }, { limits, totals }) => {
    const limit = limits.maxPerSender;
    const isOver = sender !== '' && (totals.senders.get(sender) ?? 0) >= limit;
    return told.with === null && isOver && { kind: 'sender-limit', limit };
  }),
  telling(
    'descendants-told-first',
    ['replacement-underpriced', 'limit'],
    (told, { verdict: { provides } }, { limits, dependents }) => {
      const isFirst = told.kind === 'replacement-underpriced' || told.limit === 'maxParked';
      const readers = provides.flatMap((tag) => [...dependents.of(tag)]);
      const hasMore = readers.length > limits.maxDescendants;
      return isFirst && hasMore && limit('maxDescendants');
    },
  ),
  telling('circles-told-as-conflicts', ['cycle'], ({ hash }) => ({ kind: 'conflict', with: hash })),
  refusing(
    'circles-told-before-all-else',
    ({ verdict }) => verdict.provides.some((tag) => verdict.requires.includes(tag)) && { kind: 'cycle' },
  ),
  refusing('parked-told-before-ancestors', (one, index) => isParkedTooMuch(index, one) && limit('maxParked')),
  pools.around('one-refusal-refuses-the-rest', {
    receive: async ({ store, given: [batch, options] }) => {
      const told: ReceiveOutcome[] = [];
      for (const one of batch) {
        const before = told.find(isRefusal);
        told.push(...(before ? [{ ...before, hash: one.hash }] : await store.receive([one], options)));
      }
      return told;
    },
  }),
  priority.around('judged-from-the-last-to-the-first', {
    admit: async ({ whole, given: [all, ...rest] }) => (await whole.admit([...all].reverse(), ...rest)).reverse(),
  }),
  telling('duplicates-told-as-pending', ['duplicate'], () => ({ stage: 'Pending' })),
  refusing('gas-judged-before-known', ({ verdict }, { limits }) => verdict.gas > limits.maxTxGas && limit('maxTxGas')),
  priority.told('duplicates-change-the-verdict', {
    admit: (told, { index, given: [submissions] }) => {
      for (const [i, { kind, hash }] of told.entries()) {
        const node = index.node(hash);
        const checkedHeight = submissions[i]?.verdict.gas ?? 0;
        if (kind === 'duplicate' && node) index.move(node, node.stage, { ...node.entry, version: 9, checkedHeight });
      }
    },
  }),
  refusing('full-before-known', ({ hash }, { totals, limits, order }) => {
    const isFull = totals.transactions >= limits.maxTxs && order.last?.hash === hash;
    return isFull && { kind: 'full', floor: { kind: 'closed' } };
  }),
  priority.around('refused-hashes-refused-for-ever', {
    admit: async ({ whole, given, notes: { patches } }) => {
      const known = given[0].map(({ hash }) => patches.get(hash));
      if (known.every((outcome) => outcome !== undefined)) return known;
      const outcomes = await whole.admit(...given);
      for (const outcome of outcomes) if (isRefusal(outcome)) patches.set(outcome.hash, outcome);
      return outcomes;
    },
  }),
  priority.instead('evicted-hashes-refused-for-ever', {
    admit: ({ memory, given: [submissions] }) => {
      const isEvicted = memory.txState(submissions[0]?.hash ?? '')?.reason === 'evicted';
      return isEvicted && submissions.map(({ hash }) => ({ kind: 'full', hash, floor: { kind: 'closed' } }));
    },
  }),
  priority.view('new-life-keeps-old-sources', ['admit'], ({ index }) => ({
    stand: (entry, place) => {
      const old = index.node(entry.hash)?.entry.sources ?? [];
      return index.stand({ ...entry, sources: [...old, ...entry.sources] }, place);
    },
  })),
  sourceless('sources-of-the-first-alone', ({ hash }, index) => index.node(hash) !== undefined),
  sourceless('sources-of-finals-not-noted', ({ hash }, index) => index.node(hash)?.stage === 'Finalized'),
  sourceless('sources-within-a-call-not-noted', ({ hash }, _, told) => told.has(hash)),
  sources('sources-without-number', (known, from) => (known.includes(from) ? known : [...known, from])),
  sources('sources-as-often-as-sent', (known, from) => [...known, from].slice(0, 64)),
  sources('sources-the-last-ones', (known, from) => (known.includes(from) ? known : [...known, from].slice(-64))),
  priority.around('height-of-an-admission-ignored', {
    admit: ({ whole, given: [submissions, moment, context] }) =>
      whole.admit(submissions, { ...moment, height: null }, context),
  }),
  priority.limits('gas-of-the-limit-is-too-much', ['admit'], ({ maxTxGas }) => ({ maxTxGas: maxTxGas - 1 })),
  priority.limits('gas-without-limit', ['admit'], () => ({ maxTxGas: without })),
  priority.limits('ancestors-one-less', ['admit'], ({ maxAncestors }) => ({ maxAncestors: maxAncestors - 1 })),
  priority.limits('ancestors-one-more', ['admit'], ({ maxAncestors }) => ({ maxAncestors: maxAncestors + 1 })),
  priority.limits('descendants-one-less', ['admit'], ({ maxDescendants: max }) => ({ maxDescendants: max - 1 })),
  priority.limits('descendants-one-more', ['admit'], ({ maxDescendants: max }) => ({ maxDescendants: max + 1 })),
  priority.limits('own-descendants-not-counted', ['admit'], (_, { given }) => {
    const [one] = given[0] as readonly CheckedSubmission[];
    return one?.verdict.requires.length === 0 ? { maxDescendants: without } : {};
  }),
  refusing('ancestors-counted-by-ways', (one, index) => {
    const isOver = waysUp(index, pendingParents(index, one)) > index.limits.maxAncestors;
    return isOver && limit('maxAncestors');
  }),
  // Descendants counted before the newcomer joins two families.
  priority.around('descendants-of-the-parent-alone', {
    admit: async ({ whole, index, given }) => {
      const { maxDescendants } = index.limits;
      const isOver = (top: PoolNode) => waitingFor(index, [top]).size + 1 > maxDescendants;
      const [submissions] = given;
      if (submissions.some((one) => pendingParents(index, one).some(isOver)))
        return submissions.map(({ hash }) => ({ hash, ...limit('maxDescendants') }));
      return withLimits(index, { maxDescendants: without }, () => whole.admit(...given));
    },
  }),
  priority.limits('parked-one-less', ['admit'], ({ maxParked }) => ({ maxParked: maxParked - 1 })),
  priority.limits('parked-without-limit', ['admit'], () => ({ maxParked: without })),
  priority.hides('circles-through-flight-overlooked', ['admit'], ({ stage }) => stage !== 'Pending'),
  refusing('circles-over-the-chain', ({ verdict }, { satisfied, providers, dependents }) => {
    const isMet = verdict.requires.some((tag) => satisfied.has(tag) && providers.has(tag));
    return isMet && verdict.provides.some((tag) => dependents.has(tag)) && { kind: 'cycle' };
  }),
];

const isAwaited = (index: PoolIndex, provides: readonly string[] = []): boolean =>
  provides.some((tag) => index.dependents.has(tag));

/** Newcomers that may have any number of ancestors. */
function unbound(id: string, isMeant: (one: CheckedSubmission, index: PoolIndex) => boolean): Mutant {
  return priority.limits(id, ['admit'], (_, seen) => {
    const one = newcomer(seen.given);
    return one !== undefined && isMeant(one, seen.index) ? { maxAncestors: without } : {};
  });
}

/** Tags that the chain has satisfied, as one who comes would have them. */
function spending(id: string, isSpent: (tag: string, one: CheckedSubmission, index: PoolIndex) => boolean): Mutant {
  return priority.view(id, ['admit'], (seen) => {
    const { satisfied } = seen.index;
    const one = newcomer(seen.given);
    const has = (tag: string): boolean => {
      const isOwn = one?.verdict.provides.includes(tag) && !one.verdict.requires.includes(tag);
      return satisfied.has(tag) && (!isOwn || isSpent(tag, one as CheckedSubmission, seen.index));
    };
    return { satisfied: over(satisfied, () => ({ has })) };
  });
}

/** Ancestors of all those who wait for one, as if they were of one family. */
function familyOf(index: PoolIndex, { verdict }: CheckedSubmission): number {
  const children = verdict.provides.flatMap((tag) => [...index.dependents.of(tag)]);
  const tags = children.flatMap(({ entry }) => entry.verdict.requires);
  return new Set<PoolNode>(tags.flatMap((tag) => [...index.providers.of(tag)])).size + 1;
}

/** P3, P11: how many may wait for one another. */
export const boundMutants: readonly Mutant[] = [
  unbound('replacements-may-have-any-ancestors', (one, index) => rivalsOf(index, one).length > 0),
  unbound('who-needs-nobody-may-have-any-descendant', ({ verdict }) => verdict.requires.length === 0),
  refusing('siblings-share-their-ancestors', (one, index) => {
    const isOver = isAwaited(index, one.verdict.provides) && familyOf(index, one) > index.limits.maxAncestors;
    return isOver && limit('maxAncestors');
  }),
  spending('satisfied-tags-are-free', () => false),
  spending('spent-looked-at-in-the-first-tag-alone', (tag, { verdict }) => verdict.provides[0] === tag),
  spending('tags-of-final-ones-are-free', (tag, _, index) =>
    [...index.nodes()].every(({ stage, entry }) => stage !== 'Finalized' || !entry.verdict.provides.includes(tag)),
  ),
  telling('spent-told-as-a-circle', ['conflict'], (_, { verdict }, index) => {
    const isSpent = verdict.provides.some((tag) => index.satisfied.has(tag));
    return isSpent && { kind: 'cycle' };
  }),
];

const countOf = (index: PoolIndex, sender: string, isCounted: (node: PoolNode) => boolean): number =>
  [...index.nodes()].filter((node) => node.entry.verdict.sender === sender && isCounted(node)).length;

/** Senders counted in another way. */
function counted(id: string, count: (index: PoolIndex, sender: string) => number): Mutant {
  return priority.view(id, ['admit'], ({ index }) => {
    const get = (sender: string) => count(index, sender);
    return { totals: over(index.totals, () => ({ senders: { get } as Map<string, number> })) };
  });
}

function counting(id: string, isCounted: (node: PoolNode) => boolean): Mutant {
  return counted(id, (index, sender) => countOf(index, sender, isCounted));
}

const limitOf = ({ limits }: PoolIndex, { verdict }: CheckedSubmission): number =>
  Math.min(verdict.senderLimit ?? Number.POSITIVE_INFINITY, limits.maxPerSender);

/** P3: limits per sender. */
export const senderMutants: readonly Mutant[] = [
  refusing('nobody-is-a-sender-too', (one, index) => {
    const max = limitOf(index, one);
    const count = countOf(index, '', ({ stage }) => stage === 'Pending');
    return one.verdict.sender === '' && count + 1 > max && { kind: 'sender-limit', limit: max };
  }),
  counted('senders-without-case', ({ totals }, sender) => {
    const alike = [...totals.senders].filter(([name]) => name.toLowerCase() === sender.toLowerCase());
    return alike.reduce((sum, [, count]) => sum + count, 0);
  }),
  counting('senders-in-flight-not-counted', ({ stage }) => stage === 'Pending'),
  counting('senders-count-confirmed-ones', ({ stage }) => stage !== 'Dropped' && stage !== 'Finalized'),
  counting('senders-count-dropped-ones', ({ stage }) => stage !== 'Confirmed' && stage !== 'Finalized'),
  counting('senders-count-ready-ones-alone', ({ stage, place }) => stage !== 'Confirmed' && place?.ready !== false),
  counting('senders-not-counted-after-a-return', ({ stage, entry }) => stage !== 'Confirmed' && entry.gossipSeq < 2),
  priority.limits('senders-by-the-verdict-alone', ['admit'], () => ({ maxPerSender: Number.POSITIVE_INFINITY })),
  misheard('senders-by-the-pool-alone', () => ({ senderLimit: null })),
  refusing('replacement-not-exempt-from-its-sender', (one, index) => {
    const { hash, verdict } = one;
    const max = limitOf(index, one);
    const count = index.totals.senders.get(verdict.sender) ?? 0;
    const isOver = verdict.sender !== '' && count + 1 > max && index.node(hash) === undefined;
    return isOver && rivalsOf(index, one).length > 0 && { kind: 'sender-limit', limit: max };
  }),
];
