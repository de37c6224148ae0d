import assert from 'node:assert/strict';
import {
  type Cause,
  type Counters,
  type KnownStage,
  type LifecycleVerb,
  type LifeFacts,
  lifecycleVerbs,
  type Stage,
  type StoreEvent,
  type Transaction,
  type TransactionStatus,
  transitions,
} from 'mempool-core';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { must } from '../../case/must.ts';
import { openPool } from '../../scenario/on-pool.ts';
import { countsOf, type Pool, point, unknownStatus } from '../../scenario/pool.ts';

/** The table's verbs, and the two ways in which blocks change a transaction that a call does not name. */
const verbs = [...lifecycleVerbs, 'otherBlock', 'rollback'] as const;
type Verb = (typeof verbs)[number];

const stages = Object.keys(transitions) as Stage[];
/** So high that the third block finalizes and drops nothing. */
const policy = { finalizeThreshold: 6, dropThreshold: 6 };
const given = { app: 'unwanted' };
/** The pool's clock, which stands still. */
const nowMs = 1_780_000_000_000;

/** Two neighbours are Pending before and after the subject, so that its place can be checked. */
interface Scene {
  readonly pool: Pool;
  readonly subject: Transaction;
  readonly seq: number;
  readonly neighbours: readonly [string, string];
  readonly lastEventSeq: number;
}

type State = Omit<TransactionStatus, 'hash'>;

const unsent = { receivedAt: nowMs, attempts: 0 };
const sent = { receivedAt: nowMs, attempts: 1 };

const none: Counters = { confirmations: 0, nonConfirmations: 0 };
const aged: Counters = { confirmations: 0, nonConfirmations: 1 };
const deep: Counters = { confirmations: 1, nonConfirmations: 0 };

const { hash: _, ...unknownState } = unknownStatus('');

/** The subject after `arrange`: in flight since before block 2, or in block 2. */
const before: { readonly [S in Stage]: State } = {
  Unknown: unknownState,
  Pending: { stage: 'Pending', ...none, confirmedAt: null, reason: null, notBefore: null, ...unsent },
  Propagated: { stage: 'Propagated', ...aged, confirmedAt: null, reason: null, notBefore: null, ...sent },
  Acknowledged: { stage: 'Acknowledged', ...aged, confirmedAt: null, reason: null, notBefore: null, ...sent },
  Confirmed: { stage: 'Confirmed', ...deep, confirmedAt: point(2), reason: null, notBefore: null, ...unsent },
  Finalized: { stage: 'Finalized', ...deep, confirmedAt: point(2), reason: null, notBefore: null, ...unsent },
  Dropped: { stage: 'Dropped', ...aged, confirmedAt: null, reason: given, notBefore: null, ...sent },
};

async function arrange(context: CaseContext, stage: Stage): Promise<Scene> {
  const pool = await openPool(context, { ...policy, now: () => nowMs });
  const [first, subject, last] = pool.transactions(3) as [Transaction, Transaction, Transaction];
  await pool.block(1);
  const batch = stage === 'Unknown' ? [first, last] : [first, subject, last];
  const outcomes = await pool.store.receive(batch);
  await drive(pool, subject.hash, stage);
  const received = outcomes.find(({ hash }) => hash === subject.hash);
  const { lastEventSeq } = await pool.store.usage();
  const seq = received?.kind === 'received' ? received.seq : 0;
  return { pool, subject, seq, neighbours: [first.hash, last.hash], lastEventSeq };
}

async function drive(pool: Pool, hash: string, stage: Stage): Promise<void> {
  const marked = stage === 'Propagated' || stage === 'Acknowledged' || stage === 'Dropped';
  if (marked) await pool.mark(hash);
  const seen = stage === 'Confirmed' || stage === 'Finalized' ? [hash] : [];
  await pool.block(2, { seen }, stage === 'Finalized' ? { finalizeThreshold: 1 } : policy);
  if (stage === 'Acknowledged') await pool.acknowledge(hash);
  if (stage === 'Dropped') await pool.store.drop([hash], given);
}

function act({ pool, subject }: Scene, verb: Verb): Promise<unknown> {
  const { hash } = subject;
  switch (verb) {
    case 'receive':
      return pool.store.receive([subject]);
    case 'markInflight':
    case 'markAcknowledged':
    case 'release':
      return pool.store[verb]([hash]);
    case 'drop':
      return pool.store.drop([hash], 'invalid');
    case 'seen':
      return pool.block(3, { seen: [hash] }, policy);
    case 'unseen':
      return pool.block(3, { unseen: [hash] }, policy);
    case 'otherBlock':
      return pool.block(3, {}, policy);
    case 'rollback':
      return pool.rollback(1);
  }
}

/** The stage that the verb leads to, or `null` for a pair that changes nothing. */
function target(stage: Stage, verb: Verb): KnownStage | null {
  if (verb === 'otherBlock') return null;
  if (verb === 'rollback') return stage === 'Confirmed' || stage === 'Finalized' ? 'Pending' : null;
  return transitions[stage][verb satisfies LifecycleVerb] ?? null;
}

function after(stage: Stage, verb: Verb): State {
  const old = before[stage];
  const next = target(stage, verb);
  if (next === null) return { ...old, ...carriedOn(old, verb) };
  const at = { ...before[next], reason: null, ...factsAfter(old, verb) };
  switch (next) {
    case 'Propagated':
      return { ...at, ...none };
    case 'Confirmed':
      return { ...at, confirmedAt: point(3) };
    case 'Dropped':
      return { ...old, stage: 'Dropped', reason: 'invalid' };
    case 'Pending':
    case 'Acknowledged':
    case 'Finalized':
      return at;
  }
}

/** O8: a new life begins anew, and going out is one attempt more. */
function factsAfter({ receivedAt, attempts }: State, verb: Verb): LifeFacts {
  if (verb === 'receive') return unsent;
  return { receivedAt, attempts: verb === 'markInflight' ? attempts + 1 : attempts };
}

/** The counters of a subject that keeps its stage. */
function carriedOn({ stage, ...old }: State, verb: Verb): Counters {
  const { confirmations, nonConfirmations } = old;
  const tickChange = verb === 'rollback' ? -1 : isBlock(verb) ? 1 : 0;
  if (stage === 'Confirmed') return { confirmations: confirmations + tickChange, nonConfirmations };
  if (stage === 'Propagated' || stage === 'Acknowledged')
    return { confirmations, nonConfirmations: nonConfirmations + tickChange };
  return { confirmations, nonConfirmations };
}

function isBlock(verb: Verb): boolean {
  return verb === 'seen' || verb === 'unseen' || verb === 'otherBlock';
}

function outcome(scene: Scene, stage: Stage, verb: Verb, seq: number): unknown {
  const { hash } = scene.subject;
  const next = target(stage, verb);
  const returned = next === 'Pending' ? 1 : 0;
  switch (verb) {
    case 'receive':
      if (next === null) return [{ kind: 'duplicate', hash, stage }];
      return [{ kind: 'received', hash, seq, stage: next }];
    case 'markInflight':
    case 'markAcknowledged':
    case 'release':
    case 'drop':
      return next === null ? [] : [hash];
    case 'rollback':
      return { kind: 'rolled-back', tip: { point: point(1), tick: 1 }, undone: 1, returned };
    case 'seen':
    case 'unseen':
    case 'otherBlock': {
      const confirmed = next === 'Confirmed' ? 1 : 0;
      return { kind: 'applied', tip: { point: point(3), tick: 3 }, confirmed, returned, finalized: 0, dropped: 0 };
    }
  }
}

const causes: { readonly [V in Verb]: Cause } = {
  receive: 'received',
  markInflight: 'marked',
  markAcknowledged: 'acknowledged',
  release: 'released',
  drop: 'dropped',
  seen: 'seen',
  unseen: 'unseen',
  otherBlock: 'block',
  rollback: 'rolled-back',
};

function events(scene: Scene, stage: Stage, verb: Verb, seq: number): StoreEvent[] {
  const made: StoreEvent[] = [];
  const eventSeq = scene.lastEventSeq + 1;
  const told = { kind: 'block', eventSeq, at: nowMs, nodeId: null, term: null } as const;
  if (isBlock(verb)) made.push({ ...told, action: 'applied', point: point(3), tick: 3 });
  if (verb === 'rollback') made.push({ ...told, action: 'undone', point: point(2), tick: 2 });
  const next = target(stage, verb);
  if (next === null) return made;
  const old = before[stage];
  const { confirmations, nonConfirmations, confirmedAt, reason, receivedAt, attempts } = after(stage, verb);
  made.push({
    kind: 'transaction',
    eventSeq: eventSeq + made.length,
    at: nowMs,
    hash: scene.subject.hash,
    seq,
    stage: next,
    cause: causes[verb],
    previous: { stage, confirmations: old.confirmations, nonConfirmations: old.nonConfirmations },
    confirmations,
    nonConfirmations,
    point: confirmedAt,
    reason,
    attempts,
    receivedAt,
  });
  return made;
}

/** The Pending hashes in order: a new life comes after the neighbours. */
function waiting({ subject, neighbours }: Scene, verb: Verb, state: State): string[] {
  const [first, last] = neighbours;
  if (state.stage !== 'Pending') return [first, last];
  return verb === 'receive' && state !== before.Pending ? [first, last, subject.hash] : [first, subject.hash, last];
}

function matrixCase(stage: Stage, verb: Verb): ConformanceCase {
  const next = target(stage, verb);
  const effect = next === null ? `leaves ${stage} as it is` : `takes ${stage} to ${next}`;
  return must(`L11/${stage}-${verb}`, `${verb} ${effect}`, async (context) => {
    const scene = await arrange(context, stage);
    const { pool, subject } = scene;
    const reborn = next !== null && verb === 'receive';
    const state = after(stage, verb);
    const answer = await act(scene, verb);
    const { oldestInflight } = await pool.store.usage();
    const { lastSeq, ...usage } = await countsOf(pool.store);
    const seq = reborn ? lastSeq : scene.seq;
    assert.deepEqual(answer, outcome(scene, stage, verb, seq));
    assert.deepEqual(await pool.status(subject.hash), { hash: subject.hash, ...state });
    const made = events(scene, stage, verb, seq);
    assert.deepEqual(await pool.events(scene.lastEventSeq), made);
    assert.deepEqual(await pool.pending(), waiting(scene, reborn ? verb : 'release', state));
    const flying = state.stage === 'Propagated' || state.stage === 'Acknowledged' || state.stage === 'Confirmed';
    assert.deepEqual(await pool.inflight(), flying ? [subject.hash] : []);
    const waits = state.stage === 'Propagated' || state.stage === 'Acknowledged';
    assert.deepEqual(oldestInflight, waits ? { hash: subject.hash, sentAt: nowMs } : null);
    const logged = Number(stage === 'Finalized' || stage === 'Dropped') + Number(next === 'Dropped');
    assert.deepEqual(usage, {
      pending: state.stage === 'Pending' ? 3 : 2,
      held: 0,
      propagated: Number(state.stage === 'Propagated'),
      acknowledged: Number(state.stage === 'Acknowledged'),
      confirmed: Number(state.stage === 'Confirmed'),
      logged,
      lastLogSeq: logged,
      lastEventSeq: scene.lastEventSeq + made.length,
    });
  });
}

/** A case for every pair of stage and verb, also for pairs that change nothing. */
export const matrixCases: readonly ConformanceCase[] = stages.flatMap((stage) =>
  verbs.map((verb) => matrixCase(stage, verb)),
);
