import type { AdmissionRefusal, ReceiveOutcome } from 'mempool-core';
import type { CheckedSubmission, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { priority } from './priority-operators.ts';
import { unmetOf } from './priority-order.ts';
import { pools } from './store-operators.ts';

const isRefusal = (outcome: ReceiveOutcome): outcome is AdmissionRefusal =>
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

/** P3: what refuses, in which order, and what a refusal leaves. */
export const admissionMutants: readonly Mutant[] = [
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
  sources('sources-the-last-ones', (known, from) => (known.includes(from) ? known : [...known, from].slice(-64))),
];
