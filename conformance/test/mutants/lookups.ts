import type { Mutant } from './mutant.ts';
import { free } from './planted-driver.ts';
import { leave, priority, type RankedDriver } from './priority-operators.ts';
import { pools } from './store-operators.ts';

const isPending = ({ stage }: { readonly stage: string }): boolean => stage === 'Pending';

/** P23: what a sender has. */
const senderMutants: readonly Mutant[] = [
  priority.told('senders-told-by-arrival', {
    bySender: ({ transactions }) => ({ transactions: transactions.toSorted((a, b) => a.seq - b.seq) }),
  }),
  priority.only('senders-without-what-is-in-flight', { bySender: isPending }),
  priority.only('senders-without-what-is-confirmed', { bySender: ({ stage }) => stage !== 'Confirmed' }),
  priority.each('senders-parked-told-as-ready', { bySender: () => ({ parked: false }) }),
  priority.each('senders-told-without-gas', { bySender: () => ({ gas: 0 }) }),
  priority.told('senders-as-they-were-first', {
    bySender: (told, { given: [sender], notes: { patches } }) => {
      if (!patches.has(sender)) patches.set(sender, told);
      return patches.get(sender);
    },
  }),
  priority.around('senders-pages-all-begin-anew', {
    bySender: ({ whole, given: [sender, , limit, context] }) => whole.bySender(sender, '', limit, context),
  }),
  priority.told('senders-pages-never-end', {
    bySender: ({ transactions, next }) => ({ next: next ?? transactions.at(-1)?.key ?? null }),
  }),
  priority.told('senders-one-page-alone', { bySender: () => ({ next: null }) }),
  priority.told('gaps-of-the-first-page-alone', {
    bySender: ({ missing }, { given: [, from] }) => ({ missing: from === '' ? missing : [] }),
  }),
  priority.told('gaps-of-one-page', {
    bySender: ({ transactions, missing }) => ({
      missing: missing.filter((tag) => transactions.some(({ requires }) => requires.includes(tag))),
    }),
  }),
  priority.told('gaps-where-a-parent-is-parked', {
    bySender: ({ transactions }, { index }) => {
      const isOpen = (tag: string): boolean =>
        !index.satisfied.has(tag) &&
        ![...index.providers.of(tag)].some(({ stage, place }) => stage !== 'Pending' || place?.ready);
      const tags = transactions.filter(isPending).flatMap(({ requires }) => requires);
      return { missing: [...new Set(tags)].filter(isOpen) };
    },
  }),
  priority.told('gaps-the-chain-has-filled', {
    bySender: ({ transactions }, { index }) => {
      const tags = transactions.filter(isPending).flatMap(({ requires }) => requires);
      return { missing: [...new Set(tags)].filter((tag) => !index.providers.has(tag)) };
    },
  }),
  priority.told('looking-leaves-a-trace', {
    bySender: (_, { index }) => {
      index.lastGossipSeq += 1;
    },
  }),
  pools.instead('nobody-is-a-sender-that-has-nothing', {
    bySender: async ({ given: [sender] }) => sender === '' && { transactions: [], missing: [], next: null },
  }),
];

/** P23: who names a tag. */
const tagMutants: readonly Mutant[] = [
  priority.told('tags-provided-by-pending-ones-alone', {
    byTag: ({ provider }) => ({ provider: provider?.stage === 'Pending' ? provider : null }),
  }),
  priority.told('tags-required-by-pending-ones-alone', {
    byTag: ({ dependents }) => ({ dependents: dependents.filter(isPending) }),
  }),
  priority.told('tags-required-by-price', {
    byTag: ({ dependents }) => ({
      dependents: dependents.toSorted((a, b) => (a.priority === b.priority ? 0 : a.priority < b.priority ? -1 : 1)),
    }),
  }),
  priority.told('tags-of-two-told-by-the-last', {
    byTag: ({ provider }, { index, given: [tag] }) => {
      const [last] = [...index.providers.of(tag)].sort((a, b) => b.seq - a.seq);
      return { provider: provider && { ...provider, hash: last?.hash ?? provider.hash } };
    },
  }),
  priority.told('tags-never-required-by-more', { byTag: () => ({ more: false }) }),
  priority.told('tags-never-satisfied', { byTag: () => ({ satisfied: false }) }),
  priority.told('tags-satisfied-for-ever', {
    byTag: ({ satisfied }, { given: [tag], notes: { hashes } }) => {
      if (satisfied) hashes.add(tag);
      return { satisfied: hashes.has(tag) };
    },
  }),
];

/** P23: what is dropped of a sender. */
const droppingMutants: readonly Mutant[] = [
  priority.around('senders-in-flight-not-dropped', {
    dropBySender: async ({ whole, index, given: [sender, reason, context] }) => {
      const waits = [...index.senders.of(sender)].filter(isPending).sort((a, b) => a.seq - b.seq);
      const hashes = waits.map(({ hash }) => hash);
      return { dropped: await whole.drop(hashes, reason, context), more: false };
    },
  }),
  priority.around('senders-dropped-for-a-reason-of-the-pool', {
    dropBySender: ({ whole, given: [sender, , context] }) => whole.dropBySender(sender, 'failed', context),
  }),
  priority.told('senders-children-dropped-too', {
    dropBySender: async ({ dropped }, { whole, index, given: [, reason] }) => {
      const tags = dropped.flatMap((hash) => index.node(hash)?.entry.verdict.provides ?? []);
      await leave(whole, tags.flatMap((tag) => [...index.dependents.of(tag)]).filter(isPending), reason);
    },
  }),
  priority.told('senders-dropped-all-at-once', {
    dropBySender: async ({ dropped, more }, { whole, given: [sender, reason] }) => {
      if (!more) return {};
      const rest = await whole.dropBySender(sender, reason, free);
      return { dropped: [...dropped, ...rest.dropped], more: rest.more };
    },
  }),
  priority.told('senders-never-more-to-drop', { dropBySender: () => ({ more: false }) }),
  pools.unheard('senders-dropped-again', 'dropBySender', 'operationId'),
  priority.told('senders-dropped-told-backwards', {
    dropBySender: ({ dropped }) => ({ dropped: [...dropped].reverse() }),
  }),
];

type DropContext = Parameters<RankedDriver['drop']>[2];

function guardedLess(context: DropContext, ...names: readonly (keyof DropContext)[]): DropContext {
  return Object.fromEntries(Object.entries(context).filter(([name]) => !names.includes(name as never))) as DropContext;
}

/** P23: what is dropped with its descendants. */
const descendantMutants: readonly Mutant[] = [
  priority.around('descendants-never-dropped', {
    drop: ({ whole, given: [hashes, why, context] }) => whole.drop(hashes, why, guardedLess(context, 'descendants')),
  }),
  priority.around('descendants-always-dropped', {
    drop: ({ whole, given: [hashes, why, context] }) => whole.drop(hashes, why, { ...context, descendants: true }),
  }),
  priority.around('children-dropped-alone', {
    drop: async ({ whole, index, given: [hashes, why, context] }) => {
      if (context.descendants === undefined) return whole.drop(hashes, why, context);
      const tags = hashes.flatMap((hash) => index.node(hash)?.entry.verdict.provides ?? []);
      const children = tags.flatMap((tag) => [...index.dependents.of(tag)]).map(({ hash }) => hash);
      return whole.drop([...new Set([...hashes, ...children])], why, guardedLess(context, 'descendants'));
    },
  }),
  priority.told('descendants-dropped-by-arrival', {
    drop: (dropped, { index, given: [, , { descendants }] }) => {
      const seqOf = (hash: string): number => index.node(hash)?.seq ?? 0;
      return descendants !== undefined && dropped.toSorted((a, b) => seqOf(a) - seqOf(b));
    },
  }),
  priority.around('descendants-not-guarded', {
    drop: async ({ whole, given: [hashes, why, context] }) => {
      const { claim, descendants } = context;
      if (claim === undefined || descendants === undefined) return whole.drop(hashes, why, context);
      const own = await whole.drop(hashes, why, guardedLess(context, 'descendants'));
      const fallen = await whole.drop(hashes, why, { ...guardedLess(context, 'claim'), operationId: undefined });
      return [...own, ...fallen];
    },
  }),
  priority.around('descendants-guarded-all', {
    drop: async ({ whole, index, given: [hashes, why, context] }) => {
      const { claim, descendants } = context;
      if (claim === undefined || descendants === undefined) return whole.drop(hashes, why, context);
      const claimed = Array.from(index.claims.of(claim), ({ hash }) => hash);
      return whole.drop([...hashes, ...claimed], why, guardedLess(context, 'descendants'));
    },
  }),
  pools.around('descendants-not-in-the-id', {
    drop: ({ store, given: [hashes, why, options], notes: { hashes: ids } }) => {
      const { operationId = '' } = options ?? {};
      const isKnown = ids.has(operationId);
      if (options?.descendants === true) ids.add(operationId);
      return store.drop(hashes, why, isKnown ? { ...options, descendants: true } : options);
    },
  }),
];

export const lookupMutants: readonly Mutant[] = [
  ...senderMutants,
  ...tagMutants,
  ...droppingMutants,
  ...descendantMutants,
];
