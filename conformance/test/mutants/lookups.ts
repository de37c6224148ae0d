import type { Mutant } from './mutant.ts';
import { free } from './planted-driver.ts';
import { leave, priority } from './priority-operators.ts';
import { pools } from './store-operators.ts';

const isPending = ({ stage }: { readonly stage: string }): boolean => stage === 'Pending';

/** P23: what a sender has. */
const senderMutants: readonly Mutant[] = [
  priority.told('senders-told-by-arrival', {
    bySender: ({ transactions }) => ({ transactions: transactions.toSorted((a, b) => a.seq - b.seq) }),
  }),
  priority.only('senders-without-what-is-in-flight', { bySender: isPending }),
  priority.each('senders-parked-told-as-ready', { bySender: () => ({ parked: false }) }),
  priority.each('senders-told-without-gas', { bySender: () => ({ gas: 0 }) }),
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
  priority.told('gaps-the-chain-has-filled', {
    bySender: ({ transactions }, { index }) => {
      const tags = transactions.filter(isPending).flatMap(({ requires }) => requires);
      return { missing: [...new Set(tags)].filter((tag) => !index.providers.has(tag)) };
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
  priority.told('tags-never-required-by-more', { byTag: () => ({ more: false }) }),
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

export const lookupMutants: readonly Mutant[] = [...senderMutants, ...tagMutants, ...droppingMutants];
