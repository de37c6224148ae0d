import type { CheckedSubmission, Entry, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { rivalsOf } from './priority-admission.ts';
import { priority, type Seen } from './priority-operators.ts';
import { pools } from './store-operators.ts';

const endless = Number.POSITIVE_INFINITY;
const isAway = ({ stage }: PoolNode): boolean => stage === 'Propagated' || stage === 'Acknowledged';
const isParked = ({ place }: PoolNode): boolean => place?.ready === false;

/** Whether one that it provides the tags of is in flight. */
function isBehind(index: PoolIndex, { verdict }: Pick<Entry, 'verdict'>): boolean {
  return verdict.provides.some((tag) => [...index.providers.of(tag)].some(isAway));
}

function waitingIn(index: PoolIndex): PoolNode[] {
  return [...index.parked].filter(({ entry }) => isBehind(index, entry));
}

/** Other limits for one that would wait. */
function limited(id: string, change: object): Mutant {
  return priority.limits(id, ['admit'], (_, { index, given }) => {
    const [first] = given[0] as readonly CheckedSubmission[];
    return first !== undefined && rivalsOf(index, first).some(isAway) ? change : {};
  });
}

const hasRivalInFlight = (tag: string, { index }: Seen): boolean => [...index.providers.of(tag)].some(isAway);

/** P33. */
export const replaceableMutants: readonly Mutant[] = [
  priority.given('claims-never-replaceable', { take: () => ({ replaceable: undefined }) }),
  priority.given('claims-always-replaceable', { take: () => ({ replaceable: true }) }),
  pools.unheard('replaceable-not-heard', 'take', 'replaceable'),
  priority.overlooks('acknowledged-rivals-overlooked', ['admit'], ({ stage }) => stage === 'Acknowledged'),
  priority.overlooks('waiting-ones-beside-each-other', ['admit'], (node, tag, seen) => {
    return isParked(node) && hasRivalInFlight(tag, seen);
  }),
  priority.overlooks('released-ones-stay', ['move'], isParked),
  priority.overlooks('ended-claims-stay', ['sweep'], isParked),
  priority.overlooks('returned-by-a-block-stay', ['confirm'], isParked),
  priority.overlooks('waiting-beside-the-confirmed', ['confirm'], ({ stage }) => stage === 'Pending'),
  priority.overlooks('in-flight-beside-the-confirmed', ['confirm'], isAway),
  priority.moves('extended-claims-not-replaceable', ['extendClaim'], ({ claim }) => {
    return claim !== null && { claim: { id: claim.id, owner: claim.owner, untilMs: claim.untilMs } };
  }),
  priority.places('waiting-ones-are-ready', (_, entry, index) => isBehind(index, entry) && { ready: true }),
  priority.places('children-of-waiting-ones-are-ready', (_, { verdict }, index) => {
    const parents = verdict.requires.flatMap((tag) => [...index.providers.of(tag)]);
    return parents.length > 0 && parents.every(({ entry }) => isBehind(index, entry)) && { ready: true };
  }),
  priority.places('children-below-waiting-ones', (_, { verdict }, index) => {
    const isShared = (tag: string): boolean => index.providers.of(tag).size > 1;
    return verdict.requires.some(isShared) && { depth: 1 };
  }),
  limited('waiting-without-a-bump', { replacementBump: 0 }),
  limited('waiting-ones-of-any-sender', { maxPerSender: endless }),
  limited('any-number-of-waiting-ones', { maxParked: endless }),
  priority.limits('waiting-ones-never-evicted', ['admit'], (_, { index }) => {
    return waitingIn(index).length > 0 ? { maxTxs: endless } : {};
  }),
  priority.limits('waiting-ones-never-expire', ['sweep'], (_, { index }) => {
    return waitingIn(index).length > 0 ? { parkedTtlMs: endless } : {};
  }),
  priority.events('waiting-told-as-missing', ['admit'], ({ kind }) => kind === 'parked' && { reason: 'missing' }),
  priority.dragging('what-waits-leaves-with-the-dropped', 'drop', 'failed', ({ index }) => waitingIn(index)),
  priority.dragging('rollbacks-drop-what-waits', 'rollback', 'conflict', ({ index }) => waitingIn(index)),
];
