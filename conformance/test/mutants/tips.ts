import { isRefusal } from 'mempool-core';
import type { CheckedSubmission, PoolIndex } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { rivalsOf, telling } from './priority-admission.ts';
import { priority } from './priority-operators.ts';
import { misheard } from './priority-order.ts';

type Verdict = CheckedSubmission['verdict'];
const highest = 2n ** 63n - 1n;

function paidAt({ priority: most, tip }: Verdict, floor: bigint): bigint {
  if (tip === undefined) return most;
  return floor + tip < most ? floor + tip : most;
}

/** A newcomer with a tip that would replace something is heard in another way. */
function replacing(id: string, change: (rivals: readonly Verdict[]) => Partial<Verdict> | false): Mutant {
  return priority.givenEach(id, {
    admit: (one, { index }) => {
      const rivals = rivalsOf(index, one).map(({ entry }) => entry.verdict);
      const made = one.verdict.tip !== undefined && rivals.length > 0 && change(rivals);
      return made && { verdict: { ...one.verdict, ...made } };
    },
  });
}

/** The price stays what it was when it came. */
function priced(id: string, price: (verdict: Verdict, floor: bigint) => bigint): Mutant {
  return priority.givenEach(id, {
    admit: ({ verdict }, { index }) =>
      verdict.tip !== undefined && {
        verdict: { ...verdict, priority: price(verdict, index.limits.minPriority), tip: undefined },
      },
  });
}

/** What it may pay at most is told. */
const most = ({ hash }: { readonly hash: string }, { index }: { readonly index: PoolIndex }): object => ({
  priority: index.node(hash)?.entry.verdict.priority ?? 0n,
});

/** P29. */
export const tippedMutants: readonly Mutant[] = [
  misheard('tips-not-heard', () => ({ tip: undefined })),
  misheard('tips-without-an-end', ({ tip }) => (tip === undefined ? {} : { priority: highest })),
  priced('tips-of-the-first-floor', paidAt),
  priced('tips-in-doubles', (verdict, floor) => {
    const price = BigInt(Number(paidAt(verdict, floor)));
    return price > highest ? highest : price;
  }),
  priority.view('children-do-not-follow-the-floor', ['setLimits'], ({ index }) => ({
    place: (node, place) => {
      if (node.entry.verdict.requires.length === 0) index.place(node, place);
    },
  })),
  priority.each('reap-tells-what-may-be-paid', { reap: most }),
  priority.each('best-tells-what-may-be-paid', { best: most }),
  priority.each('gossip-tells-what-may-be-paid', { since: most }),
  priority.each('claims-tell-what-may-be-paid', { take: most }),
  priority.each('senders-tell-what-may-be-paid', { bySender: most }),
  priority.told('tags-tell-what-may-be-paid', {
    byTag: ({ provider }, at) => provider && { provider: { ...provider, ...most(provider, at) } },
  }),
  priority.givenEach('revisions-keep-the-tip', {
    revise: ({ answer, hash }, { index }) => {
      const { tip } = index.node(hash)?.entry.verdict ?? {};
      return !isRefusal(answer) && tip !== undefined && { answer: { ...answer, tip } };
    },
  }),
  replacing('replacements-by-what-may-be-paid', () => ({ tip: highest })),
  replacing('replacements-by-the-tip', () => ({ priority: highest })),
  replacing('plain-ones-have-no-tip', (rivals) => rivals.every(({ tip }) => tip === undefined) && { tip: highest }),
  telling(
    'a-higher-tip-required',
    ['replacement-underpriced'],
    ({ requiredTip }) => requiredTip !== undefined && { requiredTip: requiredTip + 1n },
  ),
];
