import { isRefusal } from 'mempool-core';
import type { CheckedSubmission, PoolIndex, PoolNode } from 'mempool-core/backend';
import { over } from './lease-operators.ts';
import type { Mutant } from './mutant.ts';
import { limit, newcomer, pushing, refusing, rivalsOf, telling } from './priority-admission.ts';
import { loaded } from './priority-calls.ts';
import { leave, priority, type Verbs } from './priority-operators.ts';
import { misheard } from './priority-order.ts';

/** A revision does not take away what the verdict before had. */
function keeping(id: string, field: 'protected' | 'tip'): Mutant {
  return priority.givenEach(id, {
    revise: ({ answer, hash }, { index }) => {
      const before = index.node(hash)?.entry.verdict[field];
      return before !== undefined && !isRefusal(answer) && { answer: { ...answer, [field]: before } };
    },
  });
}

const endless = Number.POSITIVE_INFINITY;
const isProtected = ({ entry }: PoolNode): boolean => entry.verdict.protected === true;

function isFull({ totals, limits }: PoolIndex, { payload }: CheckedSubmission): boolean {
  return totals.transactions >= limits.maxTxs || totals.bytes + payload.length > limits.maxBytes;
}

/** Another number of protected ones is counted. */
function counting(id: string, verbs: Verbs, isMeant: (node: PoolNode) => boolean): Mutant {
  return priority.view(id, verbs, ({ index }) => {
    const counted = [...index.nodes()].filter((node) => isProtected(node) && isMeant(node)).length;
    return { totals: over(index.totals, () => ({ protected: counted })) };
  });
}

/** The same where there is no room. */
function evicting(id: string, choose: (one: CheckedSubmission, index: PoolIndex) => PoolNode | undefined): Mutant {
  return pushing(id, (one, index) => (isFull(index, one) ? choose(one, index) : undefined));
}

/** A protected one that stands last. */
function lastProtected({ order }: PoolIndex): PoolNode | undefined {
  const last = order.last as PoolNode | undefined;
  return last !== undefined && isProtected(last) ? last : undefined;
}

/** P28. */
export const protectionMutants: readonly Mutant[] = [
  misheard('protection-not-heard', () => ({ protected: undefined })),
  evicting('protected-ones-evicted', ({ verdict }, index) => (verdict.protected ? undefined : lastProtected(index))),
  priority.told('protected-ones-swept', {
    sweep: async ({ evicted }, { whole, index: { totals, limits, order }, given: [{ overLimits }] }) => {
      const isMeant = overLimits && totals.transactions > limits.maxTxs;
      return isMeant && { evicted: [...evicted, ...(await leave(whole, order, 'evicted'))] };
    },
  }),
  priority.limits('protected-ones-take-room-of-the-parked', ['admit', 'sweep'], ({ maxParked }, { index }) => ({
    maxParked: maxParked - index.parked.length + index.parkedCount,
  })),
  refusing('protected-newcomers-need-room-for-parked', ({ verdict }, { parked, limits }) => {
    const isParked = verdict.requires.includes('m') && parked.length >= limits.maxParked;
    return verdict.protected === true && isParked && limits.eviction === 'none' && limit('maxParked');
  }),
  refusing('what-protected-ones-require-is-protected', (one, index) => {
    const { provides = [] } = index.order.first?.entry.verdict ?? {};
    const isNeeded = provides.some((tag) => [...index.dependents.of(tag)].some(isProtected));
    return isNeeded && !one.verdict.protected && isFull(index, one) && { kind: 'full', floor: { kind: 'closed' } };
  }),
  evicting('protected-newcomers-push-out-protected-ones', ({ verdict }, index) =>
    verdict.protected ? lastProtected(index) : undefined,
  ),
  refusing('protected-newcomers-must-pay', (one, index) => {
    const worst = index.order.last?.place.effectivePriority ?? 0n;
    const isPoor = one.verdict.protected === true && one.verdict.priority <= worst && rivalsOf(index, one).length === 0;
    return isPoor && isFull(index, one) && { kind: 'full', floor: { kind: 'closed' } };
  }),
  priority.limits('protected-newcomers-evict-any-number', ['admit'], ({ maxEvictions }, { given }) => ({
    maxEvictions: newcomer(given)?.verdict.protected ? endless : maxEvictions,
  })),
  refusing('protected-ones-limited-per-sender', ({ verdict }, { totals, limits }) => {
    const isOver = (totals.senders.get(verdict.sender) ?? 0) >= limits.maxPerSender && verdict.sender !== '';
    return verdict.protected === true && isOver && { kind: 'sender-limit', limit: limits.maxPerSender };
  }),
  misheard('protected-ones-exempt-from-their-own-limit', (verdict) => (verdict.protected ? { senderLimit: null } : {})),
  priority.limits('any-number-of-protected-ones', ['admit'], () => ({ maxProtected: endless })),
  priority.limits('one-protected-more', ['admit'], ({ maxProtected }) => ({ maxProtected: maxProtected + 1 })),
  priority.limits('protected-by-revision-without-limit', ['revise'], () => ({ maxProtected: endless })),
  counting('protected-in-flight-not-counted', ['admit', 'usage'], ({ stage }) => stage === 'Pending'),
  counting(
    'protected-in-blocks-counted',
    ['admit', 'usage'],
    ({ stage }) => stage !== 'Dropped' && stage !== 'Finalized',
  ),
  loaded('protected-not-told', () => ({ protected: 0 })),
  refusing('protected-ones-never-replaced', (one, index) => {
    const [rival] = rivalsOf(index, one).filter(isProtected);
    return rival !== undefined && { kind: 'conflict', with: rival.hash };
  }),
  refusing('replaced-protected-ones-counted', (one, { limits, totals }) => {
    return one.verdict.protected === true && totals.protected >= limits.maxProtected && limit('maxProtected');
  }),
  keeping('revisions-keep-the-protection', 'protected'),
  priority.limits('protection-ends-without-room', ['revise'], ({ maxParked }, { index }) => ({
    maxParked: index.parked.length > index.parkedCount ? endless : maxParked,
  })),
  priority.limits('protected-ones-never-expire', ['sweep'], (limits, { index }) =>
    index.totals.protected > 0 ? { ttlMs: endless, parkedTtlMs: endless } : limits,
  ),
  priority.places('protected-ones-always-ready', (_, { verdict }) => verdict.protected && { ready: true }),
];

/** P29. */
export const tippedMutants: readonly Mutant[] = [
  misheard('tips-not-heard', () => ({ tip: undefined })),
  telling(
    'a-higher-tip-required',
    ['replacement-underpriced'],
    ({ requiredTip }) => requiredTip !== undefined && { requiredTip: requiredTip + 1n },
  ),
];
