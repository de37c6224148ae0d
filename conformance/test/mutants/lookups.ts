import type { Mutant } from './mutant.ts';
import { free } from './planted-driver.ts';
import { priority } from './priority-operators.ts';
import { pools } from './store-operators.ts';

/** P23: what a sender has. */
const senderMutants: readonly Mutant[] = [
  priority.around('senders-pages-all-begin-anew', {
    bySender: ({ whole, given: [sender, , limit, context] }) => whole.bySender(sender, '', limit, context),
  }),
  pools.instead('nobody-is-a-sender-that-has-nothing', {
    bySender: async ({ given: [sender] }) => sender === '' && { transactions: [], missing: [], next: null },
  }),
];

/** P23: what is dropped of a sender. */
const droppingMutants: readonly Mutant[] = [
  priority.told('senders-dropped-all-at-once', {
    dropBySender: async ({ dropped, more }, { whole, given: [sender, reason] }) => {
      if (!more) return {};
      const rest = await whole.dropBySender(sender, reason, free);
      return { dropped: [...dropped, ...rest.dropped], more: rest.more };
    },
  }),
];

export const lookupMutants: readonly Mutant[] = [...senderMutants, ...droppingMutants];
