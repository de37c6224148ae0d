import type { ReceiveOutcome } from 'mempool-core';
import type { Limits } from './entry.ts';
import {
  ancestorsOf,
  closesCycle,
  countedOf,
  crowdIn,
  fillOf,
  floorOf,
  type Graph,
  leavingIn,
  type Member,
  needsOf,
  orderOf,
  paid,
  parkedIn,
  parkedOf,
  providersOf,
  type Ranked,
  shortestEnd,
  worstParked,
} from './graph.ts';
import { roomFor } from './room.ts';

type Refusal = Exclude<ReceiveOutcome, { readonly kind: 'received' | 'duplicate' }>;
/** The fields of a refusal without the hash. */
type Refused = Refusal extends infer R ? (R extends Refusal ? Omit<R, 'hash'> : never) : never;

export type Admission =
  | { readonly kind: 'refused'; readonly refused: Refused }
  | { readonly kind: 'admitted'; readonly replaced: readonly Member[]; readonly evicted: readonly Member[] };

const highest = 2n ** 63n - 1n;

interface Question {
  readonly me: Member;
  readonly limits: Limits;
  readonly conflicts: readonly Member[];
  /** The Pending ones. */
  readonly replaced: readonly Member[];
  /** The pool before, and the pool with me in place of the transactions that I replace. */
  readonly before: Graph;
  readonly after: Graph;
}

/** Steps 2 to 9 of an admission, one question each: whether it is admitted, and which transactions have to leave. */
export function admission(before: Graph, me: Member, limits: Limits): Admission {
  const providers = me.verdict.provides.flatMap((tag) => providersOf(before, tag));
  const conflicts = before.members.filter((member) => providers.includes(member));
  const replaced = conflicts.filter(({ stage }) => stage === 'Pending');
  const others = before.members.filter((member) => !replaced.includes(member));
  const question = { me, limits, conflicts, replaced, before, after: { ...before, members: [...others, me] } };
  const refused = firstOf(questions, question);
  if (refused !== null) return { kind: 'refused', refused };
  const ofSender = leavingForSender(question);
  const evictions = limits.eviction === 'none' ? 0 : limits.maxEvictions;
  const room = roomFor(question.before, without(question.after, ofSender), me, { limits, evictions });
  if ('limit' in room) return { kind: 'refused', refused: limitRefusal(room.limit) };
  const after = without(question.after, [...ofSender, ...room.left]);
  const unparked = unparkedBy({ ...question, after }, room.evicted);
  if (unparked === null) return { kind: 'refused', refused: limitRefusal('maxParked') };
  const left = without(after, unparked);
  const evicted = victimsOf({ ...question, after: left }, room.evicted + unparked.length);
  if (evicted === null) return { kind: 'refused', refused: { kind: 'full', floor: floorOf(before, limits) } };
  return { kind: 'admitted', replaced, evicted: [...ofSender, ...room.left, ...unparked, ...evicted] };
}

function firstOf(asked: typeof questions, question: Question): Refused | null {
  for (const asks of asked) {
    const refused = asks(question);
    if (refused !== null) return refused;
  }
  return null;
}

function without(graph: Graph, gone: readonly Member[]): Graph {
  const hashes = new Set(gone.map(({ hash }) => hash));
  return { ...graph, members: graph.members.filter(({ hash }) => !hashes.has(hash)) };
}

const questions: readonly ((question: Question) => Refused | null)[] = [
  ({ me, limits }) => (me.verdict.gas > limits.maxTxGas ? limitRefusal('maxTxGas') : null),
  exceedsProtection,
  hasFirmConflict,
  isIrreplaceable,
  underpays,
  exceedsSender,
  ({ me, after }) => (closesCycle(after, me) ? { kind: 'cycle' } : null),
  ({ me, limits, after }) =>
    ancestorsOf(after, me).length > limits.maxAncestors ? limitRefusal('maxAncestors') : null,
  underpaysTogether,
];

type LimitName = Extract<Refused, { readonly kind: 'limit' }>['limit'];

function limitRefusal(limit: LimitName): Refused {
  return { kind: 'limit', limit };
}

/** P28: those that it would replace are not counted. */
function exceedsProtection({ me, replaced, before, limits }: Question): Refused | null {
  const others = countedOf(before).filter((one) => one.verdict.protected && !replaced.includes(one));
  return me.verdict.protected && others.length >= limits.maxProtected ? limitRefusal('maxProtected') : null;
}

function hasFirmConflict({ me, conflicts, before }: Question): Refused | null {
  const firm = conflicts.filter(({ stage }) => stage !== 'Pending').sort((a, b) => a.seq - b.seq)[0];
  if (firm !== undefined) return { kind: 'conflict', with: firm.hash };
  return me.verdict.provides.some((tag) => before.satisfied.has(tag)) ? { kind: 'conflict', with: null } : null;
}

/** P4: a rival that I need; or one that is ready, and I would be parked. I need none of them, so I am as ready without them. */
function isIrreplaceable(question: Question): Refused | null {
  const { me, replaced, before } = question;
  const inOrder = replaced.toSorted((a, b) => a.seq - b.seq);
  const needed = inOrder.find((rival) => needsOf(before, me).includes(rival));
  if (needed !== undefined) return { kind: 'conflict', with: needed.hash };
  if (readyHashes(withoutTags(question)).includes(me.hash)) return null;
  const ready = inOrder.find(({ hash }) => readyHashes(before).includes(hash));
  return ready === undefined ? null : { kind: 'conflict', with: ready.hash };
}

interface Price {
  readonly most: bigint;
  readonly tip: bigint;
}

const largest = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const tipOf = ({ verdict }: Member): bigint => verdict.tip ?? verdict.priority;

/** The least whole number that is at least `bump` per cent above each of them, and greater than each of them. */
function dueOf(values: readonly bigint[], bump: number): bigint {
  const due = values.map((value) => largest(-quotient(-value * BigInt(100 + bump), 100n), value + 1n));
  return due.reduce(largest);
}

/** P4, P29: the same for the most that they pay, and for their tips. */
function priceOf(conflicts: readonly Member[], bump: number): Price | null {
  if (conflicts.length === 0) return null;
  const most = conflicts.map(({ verdict }) => verdict.priority);
  return { most: dueOf(most, bump), tip: dueOf(conflicts.map(tipOf), bump) };
}

function underpriced({ verdict }: Member, { most, tip }: Price): Refused {
  const kind = 'replacement-underpriced';
  return verdict.tip === undefined
    ? { kind, required: largest(most, tip) }
    : { kind, required: most, requiredTip: tip };
}

function underpays({ me, conflicts, limits }: Question): Refused | null {
  const price = priceOf(conflicts, limits.replacementBump);
  const pays = price === null || (me.verdict.priority >= price.most && tipOf(me) >= price.tip);
  return pays ? null : underpriced(me, price);
}

/** By how many its sender has too many, and the limit. */
function overSender({ me, replaced, before, limits }: Question): { readonly limit: number; readonly excess: number } {
  const { sender, senderLimit } = me.verdict;
  const own = me.verdict.protected ? Number.POSITIVE_INFINITY : limits.maxPerSender;
  const limit = Math.min(senderLimit ?? Number.POSITIVE_INFINITY, own);
  const held = countedOf(before).filter(({ verdict }) => verdict.sender === sender).length;
  return { limit, excess: replaced.length > 0 || sender === '' ? 0 : held + 1 - limit };
}

function exceedsSender(question: Question): Refused | null {
  const { limit, excess } = overSender(question);
  const isReady = readyHashes(withoutTags(question)).includes(question.me.hash);
  const yielding = isReady ? parkedOf(parkedIn(question.before), question.me).length : 0;
  return excess > yielding ? { kind: 'sender-limit', limit } : null;
}

/** P22: the parked ones of my sender that leave for me, protected ones last. */
function leavingForSender(question: Question): Member[] {
  const { excess } = overSender(question);
  const lastFirst = parkedOf(parkedIn(question.before), question.me).toReversed();
  const [kept, others] = [true, false].map((is) => lastFirst.filter((one) => (one.verdict.protected ?? false) === is));
  return [...(others ?? []), ...(kept ?? [])].slice(0, Math.max(0, excess));
}

/** The pool before with me, but nobody depends on me. */
function withoutTags({ me, before }: Question): Graph {
  return { ...before, members: [...before.members, { ...me, verdict: { ...me.verdict, provides: [] } }] };
}

/** If more than one leaves or gets parked: compares its priority × bytes with the sum of theirs. */
function underpaysTogether({ me, conflicts, replaced, before, after, limits }: Question): Refused | null {
  const price = priceOf(conflicts, limits.replacementBump);
  if (price === null || replaced.length === 0) return null;
  const isReady = new Set(readyHashes(after));
  const wasReady = before.members.filter(({ hash }) => readyHashes(before).includes(hash));
  const parked = wasReady.filter((member) => !conflicts.includes(member) && !isReady.has(member.hash));
  const losers = [...replaced, ...parked];
  if (losers.length < 2) return null;
  const sum = losers.reduce((total, one) => total + paid(before, one) * BigInt(one.bytes), 0n);
  if (paid(before, me) * BigInt(me.bytes) > sum) return null;
  const due = me.bytes === 0 ? highest + 1n : quotient(sum, BigInt(me.bytes)) + 1n;
  const dueTip = me.verdict.tip === undefined ? due : due - before.least;
  return underpriced(me, { most: largest(due, price.most), tip: largest(dueTip, price.tip) });
}

/** Rounded down, below zero too. */
function quotient(value: bigint, divisor: bigint): bigint {
  const cut = value / divisor;
  return cut * divisor > value ? cut - 1n : cut;
}

function readyHashes(graph: Graph): string[] {
  return orderOf(graph).flatMap(({ hash, place }) => (place.ready ? [hash] : []));
}

/** P22: the parked ones that leave for me, the worst one first; `null` if I may not come in. */
function unparkedBy({ me, after, limits }: Question, before: number): Member[] | null {
  const gone: Member[] = [];
  if (!crowdIn(after).some(({ hash }) => hash === me.hash)) return gone;
  for (let left = after; crowdIn(left).length > limits.maxParked; left = without(after, gone)) {
    const worst = worstParked(left);
    if (worst === undefined || limits.eviction === 'none' || before + gone.length >= limits.maxEvictions) return null;
    if (!isWorseParked(left, worst, me)) return null;
    gone.push(worst);
  }
  return gone;
}

function isWorseParked(graph: Graph, worst: Ranked, me: Member): boolean {
  const parked = crowdIn(graph);
  const mine = parked.find(({ hash }) => hash === me.hash);
  if (mine === undefined || ancestorsOf(graph, me).some(({ hash }) => hash === worst.hash)) return false;
  const least = worst.place.effectivePriority;
  if (least !== mine.place.effectivePriority) return least < mine.place.effectivePriority;
  return parkedOf(parked, worst).length > parkedOf(parked, me).length;
}

/** The shortest end of the order without me that makes room; `null` if one of them is not worse than I am. */
function victimsOf({ me, after, limits }: Question, before: number): Member[] | null {
  const order = orderOf(after);
  const mine = order.find(({ hash }) => hash === me.hash)?.place;
  const above = me.verdict.protected ? ancestorsOf(after, me).map(({ hash }) => hash) : [];
  const others = leavingIn(after).filter(({ hash }) => hash !== me.hash && !above.includes(hash));
  const victims = shortestEnd(others, fillOf(after), limits);
  if (mine === undefined || victims === null) return null;
  if (victims.length > 0 && (limits.eviction === 'none' || before + victims.length > limits.maxEvictions)) return null;
  if (me.verdict.protected) return victims;
  const areWorse = victims.every(({ place }) =>
    place.ready === mine.ready ? place.effectivePriority < mine.effectivePriority : mine.ready && !place.ready,
  );
  return areWorse ? victims : null;
}
