import { arriving, live, nextStage, type Thresholds, type TxState } from '../contract/lifecycle.ts';
import type { CheckedSubmission } from '../contract/pool-driver.ts';
import type { Entry } from '../contract/pool-entry.ts';
import type { AdmissionRefusal } from '../contract/pool-verbs.ts';
import type { ReceiveOutcome } from '../contract/store.ts';
import type { KnownStage } from '../contract/transaction.ts';
import { maxPriority, priorityAt } from '../contract/verdict.ts';
import type { CallMoment } from '../rules/call-plan.ts';
import { countedInclusion, type Step } from '../rules/step.ts';
import { dropRivals } from './conflict.ts';
import { evictFor, excessOf, victimsFor } from './eviction.ts';
import { ancestorsWithin, neededAmong, refusedFor } from './graph.ts';
import { makeParkingRoom, makeSenderRoom } from './parking-room.ts';
import { placeOf, settle } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import { isReady, newNode, nobody, type PlacedNode, type PoolNode } from './pool-node.ts';
import { floorDivide, highest, type Price, replacementBound, tipOf } from './price.ts';
import { exceededBySender, refusedByTags, refusedByVerdict, rivalsOf, withFloor } from './refusals.ts';
import { type Planning, StepBuilder } from './step-builder.ts';
import { keyAt } from './tipped-place.ts';
import { WaitingRoom } from './waiting-room.ts';

const maxSources = 64;
const noSources: readonly string[] = Object.freeze([]);

/** Plans the admission of transactions, one after the other. Each is admitted completely or refused without effect. */
export function admitStep(
  pool: Planning,
  submissions: readonly CheckedSubmission[],
  { nowMs, height }: CallMoment,
  thresholds: Thresholds,
): Step<ReceiveOutcome[]> {
  const builder = new StepBuilder(pool, nowMs);
  const told = new Map<string, ReceiveOutcome>();
  const outcome = submissions.map((submission) => {
    const { hash } = submission;
    const first = told.get(hash);
    if (first !== undefined) return again(builder, submission, first);
    const answer = admit(builder, submission, { nowMs, height }, thresholds);
    told.set(hash, answer);
    return answer;
  });
  return builder.step(outcome);
}

/** Answers a hash that occurs twice in a call. The calls of several peers may have been merged into one. */
function again(builder: StepBuilder, submission: CheckedSubmission, first: ReceiveOutcome): ReceiveOutcome {
  addSource(builder, submission);
  if (first.kind !== 'received') return { ...first };
  return { kind: 'duplicate', hash: first.hash, stage: first.stage };
}

function admit(
  builder: StepBuilder,
  submission: CheckedSubmission,
  moment: CallMoment,
  thresholds: Thresholds,
): ReceiveOutcome {
  const { hash } = submission;
  const before = builder.txState(hash);
  const stage = before?.stage ?? 'Unknown';
  if (nextStage(stage, 'receive') === null) {
    addSource(builder, submission);
    return { kind: 'duplicate', hash, stage: stage as Exclude<KnownStage, 'Dropped'> };
  }
  const entry = newEntry(builder.nextSeq, submission, moment);
  const inclusion = countedInclusion(builder.view, hash, thresholds);
  if (inclusion !== null) return admitConfirmed(builder, submission, { before, entry, inclusion });
  const attempt = isAlone(builder, entry) ? admitAlone(builder.index, entry) : attemptTo(builder, entry);
  if ('kind' in attempt) return withFloor(builder.index, attempt);
  builder.begin(before, live(hash, entry.seq, 'Pending', 0, arriving), submission);
  for (const node of attempt.replaced) builder.replace(node, hash);
  for (const node of attempt.victims) builder.evict(node);
  const received = { kind: 'received', hash, seq: entry.seq, stage: 'Pending' } as const;
  return attempt.node.place.ready ? received : { ...received, parked: true };
}

function addSource({ index }: StepBuilder, { hash, from }: CheckedSubmission): void {
  const node = index.node(hash);
  if (node === undefined || from === null) return;
  const { entry, stage } = node;
  if (stage === 'Dropped' || entry.sources.length >= maxSources || entry.sources.includes(from)) return;
  index.move(node, stage, { ...entry, sources: [...entry.sources, from] });
}

/** The first entry of a submission, without a gossip number and a claim. */
function newEntry(seq: number, { hash, payload, verdict, from }: CheckedSubmission, moment: CallMoment): Entry {
  return {
    hash,
    seq,
    bytes: payload.length,
    verdict,
    sources: from === null ? noSources : [from],
    version: 1,
    admittedAt: moment.nowMs,
    admittedHeight: moment.height,
    checkedHeight: moment.height,
    gossipSeq: 0,
    claim: null,
  };
}

/** L13: admits a transaction that the chain includes already. The pool's own checks do not apply. */
function admitConfirmed(
  builder: StepBuilder,
  submission: CheckedSubmission,
  { before, entry, inclusion }: { readonly before: TxState | null; readonly entry: Entry; readonly inclusion: number },
): ReceiveOutcome {
  const { hash, seq } = entry;
  builder.index.put(entry, 'Confirmed');
  builder.begin(before, live(hash, seq, 'Confirmed', inclusion, arriving), submission);
  dropRivals(builder, entry.verdict.provides);
  settle(builder.index);
  return { kind: 'received', hash, seq, stage: 'Confirmed' };
}

/**
 * True if it requires no tag, none of its tags is required, provided or satisfied already, it is not below the floor, and its
 * sender has room.
 */
function isAlone({ index }: StepBuilder, entry: Entry): boolean {
  const { provides, requires, priority } = entry.verdict;
  if (priority < index.limits.minPriority || exceededBySender(index, entry) !== null) return false;
  const { dependents, providers, satisfied } = index;
  const isNamed = (tag: string): boolean => dependents.has(tag) || providers.has(tag) || satisfied.has(tag);
  return requires.length === 0 && !provides.some(isNamed);
}

/** Admits a transaction without parents and dependents. Every refusal is decided first, so nothing has to be undone. */
function admitAlone(index: PoolIndex, entry: Entry): Admitted | AdmissionRefusal {
  const refusal = refusedByVerdict(index, entry);
  if (refusal !== null) return refusal;
  const { hash, bytes, verdict } = entry;
  const place = keyAt(index, [], entry, true);
  const newcomer = { place, isProtected: verdict.protected === true, ancestors: nobody, before: 0 };
  const excess = excessOf(index, { transactions: 1, bytes });
  const victims = victimsFor(index, newcomer, excess);
  if (victims === null) return { kind: 'full', hash };
  for (const victim of victims) index.move(victim, 'Dropped');
  settle(index);
  return { node: index.stand(entry, place), replaced: [], victims };
}

/** Tries the admission on the index and undoes it if it ends in a refusal. */
function attemptTo(builder: StepBuilder, entry: Entry): Admitted | AdmissionRefusal {
  builder.index.begin();
  const attempt = new Attempt(builder, entry).run();
  if ('kind' in attempt) builder.index.undo();
  else builder.index.keep();
  return attempt;
}

interface Admitted {
  readonly node: PlacedNode;
  readonly replaced: readonly PoolNode[];
  readonly victims: readonly PoolNode[];
}

/** The attempt to admit one new transaction, on the index itself. The caller undoes it after a refusal. */
class Attempt {
  readonly #builder: StepBuilder;
  readonly #entry: Entry;
  /** The first rival that is in flight or Confirmed. Nothing replaces it. */
  readonly #firm: PoolNode | undefined;
  /** The Pending rivals. */
  readonly #replaced: readonly PoolNode[];
  /** The parked ones that have left for it. */
  readonly #left: PoolNode[] = [];

  constructor(builder: StepBuilder, entry: Entry) {
    this.#builder = builder;
    this.#entry = entry;
    const rivals = rivalsOf(builder.index, entry);
    this.#firm = rivals.find(({ stage }) => stage !== 'Pending');
    this.#replaced = rivals.filter(({ stage }) => stage === 'Pending');
  }

  run(): Admitted | AdmissionRefusal {
    const { index } = this.#builder;
    const refusal =
      refusedByVerdict(index, this.#entry, this.#replaced) ?? this.#refusedByRivals() ?? this.#refusedBySender();
    if (refusal !== null) return refusal;
    for (const rival of this.#replaced) index.move(rival, 'Dropped');
    const node = index.put(this.#entry, 'Pending');
    const ancestors = ancestorsWithin(index, node);
    return typeof ancestors === 'string' ? refusedFor(ancestors, this.#entry.hash) : this.#standing(node, ancestors);
  }

  #refusedByRivals(): AdmissionRefusal | null {
    const { verdict } = this.#entry;
    const refusal = refusedByTags(this.#builder.index, this.#entry, this.#firm);
    if (refusal !== null || this.#replaced.length === 0) return refusal;
    const kept = this.#irreplaceable();
    if (kept !== undefined) return { kind: 'conflict', hash: this.#entry.hash, with: kept.hash };
    const required = this.#bump();
    return verdict.priority >= required.most && tipOf(verdict) >= required.tip ? null : this.#underpriced(required);
  }

  /** The first Pending rival that it needs, or that is ready while it would be parked itself (P4). */
  #irreplaceable(): PoolNode | undefined {
    const { index } = this.#builder;
    const newcomer = newNode(this.#entry, 'Pending');
    const needed = neededAmong(index, newcomer, this.#replaced);
    return needed ?? (placeOf(index, newcomer).ready ? undefined : this.#replaced.find(isReady));
  }

  /** What exceeds each replaced one by `replacementBump`. */
  #bump(): Price {
    const { replacementBump } = this.#builder.index.limits;
    const verdicts = this.#replaced.map(({ entry }) => entry.verdict);
    return {
      most: highest(verdicts.map(({ priority }) => replacementBound(priority, replacementBump))),
      tip: highest(verdicts.map((verdict) => replacementBound(tipOf(verdict), replacementBump))),
    };
  }

  #underpriced({ most, tip }: Price): AdmissionRefusal {
    const { hash, verdict } = this.#entry;
    if (verdict.tip === undefined) return { kind: 'replacement-underpriced', hash, required: highest([most, tip]) };
    return { kind: 'replacement-underpriced', hash, required: most, requiredTip: tip };
  }

  /** Not checked for a replacement: it takes no more room than the transactions that it replaces. */
  #refusedBySender(): AdmissionRefusal | null {
    const { index } = this.#builder;
    const { hash, verdict } = this.#entry;
    const exceeded = this.#replaced.length > 0 ? null : exceededBySender(index, this.#entry);
    if (exceeded === null) return null;
    const isWaiting = !placeOf(index, newNode(this.#entry, 'Pending')).ready;
    const left = isWaiting ? null : makeSenderRoom(index, verdict.sender, exceeded.excess);
    if (left === null) return { kind: 'sender-limit', hash, limit: exceeded.limit };
    this.#left.push(...left);
    return null;
  }

  /** Settles the index as late as possible, because many transactions may depend on one that is refused. */
  #standing(newcomer: PoolNode, ancestors: ReadonlySet<PoolNode>): Admitted | AdmissionRefusal {
    const { index } = this.#builder;
    const underpriced = this.#refusedBySum();
    if (underpriced !== null) return underpriced;
    const { limits } = index;
    const evictions = limits.eviction === 'none' ? 0 : limits.maxEvictions;
    const room = new WaitingRoom(index, { node: newcomer, ancestors, evictions, required: [] });
    const exceeded = room.make();
    if (exceeded !== null) return refusedFor(exceeded, this.#entry.hash);
    const unparked = this.#makeParkingRoom(newcomer, ancestors, room.evicted);
    if (unparked === null) return refusedFor('maxParked', this.#entry.hash);
    settle(index);
    const node = newcomer as PlacedNode;
    const isProtected = this.#entry.verdict.protected === true;
    const before = room.evicted + unparked.length;
    const victims = evictFor(index, { place: node.place, isProtected, ancestors, before });
    if (victims === null) return { kind: 'full', hash: node.hash };
    return { node, replaced: this.#replaced, victims: [...this.#left, ...room.left, ...unparked, ...victims] };
  }

  /** If several transactions leave or become parked, it must pay more than all of them (priority × bytes). */
  #refusedBySum(): AdmissionRefusal | null {
    if (this.#replaced.length === 0) return null;
    settle(this.#builder.index);
    const losers = [...this.#replaced, ...this.#parked()];
    if (losers.length <= 1) return null;
    const { verdict, bytes } = this.#entry;
    const { minPriority: floor } = this.#builder.index.limits;
    const sum = losers.reduce((total, { entry }) => total + priorityAt(entry.verdict, floor) * BigInt(entry.bytes), 0n);
    if (priorityAt(verdict, floor) * BigInt(bytes) > sum) return null;
    const { most, tip } = this.#bump();
    const least = bytes === 0 ? maxPriority + 1n : floorDivide(sum, BigInt(bytes)) + 1n;
    return this.#underpriced({
      most: highest([least, most]),
      tip: highest([least - (verdict.tip === undefined ? 0n : floor), tip]),
    });
  }

  /** The transactions that were ready before and are parked now. */
  #parked(): PoolNode[] {
    const { index } = this.#builder;
    const parked: PoolNode[] = [];
    for (const { node, before } of index.attempted())
      if (before?.place?.ready === true && node.place?.ready === false) parked.push(node);
    return parked;
  }

  /** The parked transactions that leave for a parked newcomer; `null` if it is refused. Protected ones are exempt. */
  #makeParkingRoom(newcomer: PoolNode, ancestors: ReadonlySet<PoolNode>, before: number): readonly PlacedNode[] | null {
    const { index } = this.#builder;
    if (this.#entry.verdict.protected) return [];
    if (index.parkedCount < index.limits.maxParked) return [];
    if (placeOf(index, newcomer).ready) return [];
    settle(index);
    return makeParkingRoom(index, newcomer as PlacedNode, ancestors, before);
  }
}
