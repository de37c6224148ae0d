// Type tests of the public API: never run, only compiled, against the sources and against the built declarations.
import {
  account,
  type Backend,
  type Candidate,
  type Cause,
  type ConfirmOutcome,
  type FifoMempool,
  type Floor,
  type GossipPage,
  isMempoolError,
  type KnownStage,
  type LogEntry,
  loadConfig,
  type Mempool,
  type MempoolConfig,
  type MempoolErrorCode,
  type MempoolEvent,
  type OpenOptions,
  onePerSender,
  openMempool,
  type ParkedReason,
  type PriorityMempool,
  type parseConfig,
  type ReapedTransaction,
  type ReceiveOutcome,
  type Refused,
  type RollbackOutcome,
  type Stage,
  type StoredTransaction,
  type TakenCandidate,
  type Transaction,
  type TransactionStatus,
  utxo,
  utxoLimits,
  type Walked,
} from 'mempool-core';
import { type BackendDefinition, defineBackend } from 'mempool-core/backend';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function holds<Claim extends true>(claim?: Claim): void;
declare const backend: Backend;
declare const store: Mempool;
declare const transaction: Transaction;

/** Every verb of the contract is there, and nothing that a caller could not know. */
export function verbs(): void {
  type Verbs =
    | 'receive'
    | 'hasPending'
    | 'peekPending'
    | 'markInflight'
    | 'markAcknowledged'
    | 'release'
    | 'drop'
    | 'findInflight'
    | 'peekInflight'
    | 'confirm'
    | 'rollback'
    | 'status'
    | 'dumpFinalized'
    | 'subscribe'
    | 'tip'
    | 'usage'
    | 'close';
  holds<Verbs extends keyof Mempool ? true : false>();
  holds<Mempool extends AsyncDisposable ? true : false>();
}

/** Outcomes are unions told apart by `kind`: a `switch` without default covers them, and each branch knows its fields. */
export function received(outcome: ReceiveOutcome): string {
  switch (outcome.kind) {
    case 'received':
      holds<Same<typeof outcome.stage, 'Pending' | 'Confirmed'>>();
      return outcome.hash + outcome.seq;
    case 'duplicate':
      // @ts-expect-error a duplicate keeps the seq of the first to itself
      return outcome.seq;
    case 'too-large':
      holds<Same<typeof outcome.maxTxBytes, number>>();
      return outcome.hash;
    case 'full':
      return outcome.hash + (outcome.floor && paid(outcome.floor));
    case 'limit':
    case 'conflict':
    case 'replacement-underpriced':
    case 'sender-limit':
    case 'cycle':
    case 'refused':
      return outcome.hash;
  }
}

export function paid(floor: Floor): bigint {
  switch (floor.kind) {
    case 'open':
    case 'closed':
      // @ts-expect-error only `at-least` has a priority
      return floor.priority;
    case 'at-least':
      return floor.priority;
  }
}

export function confirmed(outcome: ConfirmOutcome): number {
  switch (outcome.kind) {
    case 'applied':
      return outcome.confirmed + outcome.returned + outcome.finalized + outcome.dropped;
    case 'duplicate':
    case 'gap':
    case 'fenced':
      return outcome.tip.tick;
  }
}

export function rolledBack(outcome: RollbackOutcome): number {
  switch (outcome.kind) {
    case 'rolled-back':
      return outcome.undone;
    case 'unchanged':
    case 'fenced':
      return outcome.tip.tick;
    case 'unknown-point':
      return outcome.oldest?.slot ?? 0;
  }
}

export function events(event: MempoolEvent): number {
  switch (event.kind) {
    case 'transaction':
      holds<Same<typeof event.stage, KnownStage>>();
      holds<Same<typeof event.cause, Cause>>();
      holds<Same<typeof event.at, number>>();
      holds<Same<typeof event.previous.stage, Stage>>();
      return event.eventSeq;
    case 'block':
      return event.tick;
    case 'ready':
      return event.seq;
    case 'parked':
      holds<Same<typeof event.reason, ParkedReason>>();
      return event.seq;
    case 'lagged':
      // @ts-expect-error it stands for events that were lost and has no number of its own
      return event.eventSeq;
  }
}

export async function answers(): Promise<void> {
  holds<Same<Awaited<ReturnType<Mempool['receive']>>, ReceiveOutcome[]>>();
  holds<Same<Awaited<ReturnType<Mempool['status']>>, TransactionStatus[]>>();
  holds<Same<Awaited<ReturnType<Mempool['findInflight']>>, (StoredTransaction | null)[]>>();
  holds<Same<LogEntry['stage'], 'Finalized' | 'Dropped'>>();
  for await (const event of await store.subscribe({ after: 'origin', hashes: ['00'], signal: AbortSignal.timeout(1) }))
    events(event);
  // @ts-expect-error a live transaction is never Finalized
  (await store.peekPending()).transactions[0]?.stage === 'Finalized';
}

export async function mistakes(): Promise<void> {
  await store.receive([transaction], { operationId: 'one' });
  // @ts-expect-error a batch, not one
  await store.receive(transaction);
  await store.receive([{ hash: '0xAB', payload: new Uint8Array() }]);
  // @ts-expect-error the payload type is a number
  await store.receive([{ hash: '00', payload: new Uint8Array(), payloadType: '0' }]);
  // @ts-expect-error payloads are bytes, not text
  await store.receive([{ hash: '00', payload: 'text', payloadType: 0 }]);
  await store.confirm({ point: { slot: 1, hash: '00' }, seen: [] });
  // @ts-expect-error a block needs the list of its transactions
  await store.confirm({ point: { slot: 1, hash: '00' } });
  // @ts-expect-error dropping needs a reason
  await store.drop(['00']);
  // @ts-expect-error the tip goes back to a point, or to none by `null`, never by accident
  await store.rollback();
}

export function failures(error: unknown): MempoolErrorCode | undefined {
  if (!isMempoolError(error)) return undefined;
  holds<Same<typeof error.retryable, boolean>>();
  // @ts-expect-error the codes are a closed list
  isMempoolError(error, 'ERR_MEMPOOL_NO_SUCH_CODE');
  return error.code;
}

/** A backend's own options stand beside those that all take; both are checked. */
export async function backends(definition: BackendDefinition<{ readonly path: string }>): Promise<void> {
  const backend = defineBackend(definition);
  holds<Same<typeof backend, Backend<{ readonly path: string }>>>();
  await backend.open({ path: 'x', pool: 'main', finalizeThreshold: Number.POSITIVE_INFINITY });
  // @ts-expect-error its own option has a type
  await backend.open({ path: 1 });
  // @ts-expect-error there is no such option
  await backend.open({ path: 'x', maxTransactionBytes: 1 } satisfies OpenOptions & { path: string });
}

export async function pools(pool: Mempool): Promise<void> {
  holds<Same<Awaited<ReturnType<typeof pool.submit>>, ReceiveOutcome | Refused>>();
  const one = await pool.markInflight('00');
  holds<Same<typeof one, boolean>>();
  const several = await pool.drop(['00'], 'failed');
  holds<Same<typeof several, string[]>>();
  const waited = await pool.waitFor('00', { stage: 'Finalized', confirmations: 3, timeoutMs: 5 });
  holds<
    Same<typeof waited, { readonly kind: 'reached' | 'dropped' | 'timeout'; readonly status: TransactionStatus }>
  >();
  for await (const each of pool.watch(['00'])) holds<Same<typeof each, TransactionStatus>>();
  for await (const each of pool.pending({ after: 'origin' })) holds<Same<typeof each, StoredTransaction & Walked>>();
  for await (const each of pool.finalized({ cursor: 'origin' })) holds<Same<typeof each, LogEntry & Walked>>();
  // @ts-expect-error a number is no cursor: it does not say of which pool
  pool.finalized({ cursor: 1 });
  holds<Mempool extends AsyncDisposable ? true : false>();
  // @ts-expect-error dropping needs a reason
  await pool.drop('00');
  // @ts-expect-error nobody asks for Dropped: every wait ends there
  await pool.waitFor('00', { stage: 'Dropped' });
  backend.open({ validate: ({ payload }) => ({ gas: payload.length, priority: 7n }) });
  backend.open({ validate: async () => ({ code: 1, log: 'spent', penalize: true }) });
  backend.open({ validate: ({ hash }) => (hash === '00' ? { code: 1, log: 'spent', penalize: true } : {}) });
  backend.open({ validate: ({ hash }) => account(hash, 1n, 0) });
  // @ts-expect-error a refusal says why
  backend.open({ validate: () => ({ code: 1 }) });
  // @ts-expect-error nor is it told by anything but its code
  backend.open({ validate: () => ({ kind: 'refused' }) });
}

export async function prioritized(pool: PriorityMempool): Promise<void> {
  const outcome = await pool.submit({ ...transaction, verdict: { priority: 1n }, from: 'ann' }, { height: 7 });
  if (outcome.kind === 'refused') holds<Same<typeof outcome.code, number>>();
  await pool.submit({ ...transaction, verdict: onePerSender('ann', { gas: 1 }) }, { from: 'bob' });
  await pool.submit({ ...transaction, verdict: utxo({ confirmed: ['a#0'] }, ['b#0']) });
  const { transactions } = await pool.take({ maxGas: 10 }, { owner: 'miner', claimMs: 1_000 });
  holds<Same<typeof transactions, readonly TakenCandidate[]>>();
  const reaped = await pool.reap({ maxGas: 10 }, { payloads: true, view: true });
  holds<Same<typeof reaped, ReapedTransaction[]>>();
  const candidates = await pool.reap();
  holds<Same<typeof candidates, Candidate[]>>();
  // @ts-expect-error a view of payloads that are not asked for
  await pool.reap({}, { view: true });
  const { unchanged } = await pool.recheck({ height: 8, slice: 10, signal: AbortSignal.timeout(1) });
  holds<Same<typeof unchanged, readonly string[]>>();
  const gossip = pool.gossip('ann', { after: 'origin' });
  for await (const page of gossip) holds<Same<typeof page, GossipPage>>();
  holds<Same<typeof gossip.cursor, string>>();
  await pool.waitForPending({ signal: AbortSignal.timeout(1) });
  const done = await pool.work(
    async ({ hash, payload, payloadType }, { attempt, signal }) => {
      holds<Same<[typeof hash, typeof payloadType, typeof attempt], [string, number, number]>>();
      if (payload.length > 0) signal.throwIfAborted();
    },
    {
      owner: 'ann',
      concurrency: 2,
      claimMs: 1_000,
      attempts: Infinity,
      backoff: (attempt, error) => (error ? attempt : 0),
    },
  );
  holds<Same<typeof done.acknowledged | typeof done.released | typeof done.failed | typeof done.lost, number>>();
  // @ts-expect-error a backoff is a duration
  await pool.work(() => undefined, { backoff: () => '1 s' });
  backend.open({ observer: ({ verb, batch }) => holds<Same<[typeof verb, typeof batch], [string, number]>>() });
  await openMempool({ backend: 'ephemeral', ordering: 'priority', maxTxs: 5, ...utxoLimits, sweepEveryMs: 1 }, {});
  // @ts-expect-error what it is in may be a refusal, and that is no verdict
  await pool.submit({ ...transaction, verdict: account('ann', 1, 0) });
  // @ts-expect-error a priority is a bigint
  await pool.submit({ ...transaction, verdict: { priority: 1 } });
  // @ts-expect-error who takes says who it is
  await pool.take({}, { claimMs: 1_000 });
  // @ts-expect-error there is no such order
  await openMempool({ backend: 'ephemeral', ordering: 'lifo' }, {});
}

/** `ordering` tells the kinds of pool apart: what a fifo pool cannot do is not there. */
export async function orderings(some: Mempool, pool: Mempool, backend: Backend): Promise<void> {
  // @ts-expect-error only one of the two kinds has it
  await some.best();
  if (some.ordering === 'fifo') {
    holds<Same<typeof some, FifoMempool>>();
    holds<Same<Extract<keyof FifoMempool, 'best' | 'stale' | 'revise'>, never>>();
  } else {
    holds<Same<typeof some, PriorityMempool>>();
    await some.best();
  }
  if (pool.ordering === 'fifo') {
    holds<Same<typeof pool, FifoMempool>>();
    holds<
      Same<Extract<keyof FifoMempool, 'best' | 'bestIterator' | 'gossip' | 'recheck' | 'revise' | 'stale'>, never>
    >();
  } else {
    await pool.revise(await pool.stale({ height: 1 }).then((all) => all.map((one) => ({ ...one, answer: {} }))));
    await pool.best();
  }
  await pool.confirm({ point: { slot: 1, hash: '00' }, seen: [], unseen: [] });
  await using ranked = await backend.open({ ordering: 'priority', maxTxs: 9 });
  holds<Same<typeof ranked, PriorityMempool>>();
  await using plain = await backend.open({ maxTxs: 9 });
  holds<Same<typeof plain, FifoMempool>>();
  const options: OpenOptions = {};
  await using either = await backend.open(options);
  holds<Same<typeof either, Mempool>>();
}

/** The backend decides which fields a configuration must have. */
export async function needed(sqlite: Backend<{ readonly path: string }>, mine: Backend): Promise<void> {
  await openMempool({ backend: 'redis', url: 'redis://localhost', connectionName: 'one' }, {});
  // @ts-expect-error redis needs its url
  await openMempool({ backend: 'redis', path: 'x' }, {});
  // @ts-expect-error sqlite needs its path
  await openMempool({ backend: 'sqlite' }, { sqlite });
  // @ts-expect-error and so it does under the name of Dolos
  await openMempool({ backend: 'redb', pool: 'x' }, { sqlite });
  // @ts-expect-error there is no such field
  await openMempool({ backend: 'ephemeral', maxTx: 5 }, {});
  await openMempool({ backend: 'mine', path: 'x' }, { mine });
  const given: MempoolConfig = { backend: 'sqlite', path: 'x' };
  if (given.backend === 'sqlite') holds<Same<typeof given.path, string>>();
  // @ts-expect-error the fields of the backend belong to the type
  const lacking: MempoolConfig = { backend: 'sqlite' };
  const theirs: MempoolConfig<'mine'> = { backend: 'mine' };
  await openMempool(theirs, lacking as object as Record<string, Backend>);
  await using file = await openMempool('pool.toml', { sqlite }, { backend: 'sqlite', maxTxs: 5, validate: () => ({}) });
  holds<Same<typeof file, Mempool>>();
  await using ranked = await openMempool({ backend: 'ephemeral', ordering: 'priority' }, {});
  holds<Same<typeof ranked, PriorityMempool>>();
  await using plain = await openMempool({ backend: 'ephemeral' }, {});
  holds<Same<typeof plain, FifoMempool>>();
  await using other = await openMempool({ backend: 'ephemeral' }, {}, { ordering: 'priority' });
  holds<Same<typeof other, Mempool>>();
  // @ts-expect-error a misspelt option
  await openMempool('pool.toml', { sqlite }, { validat: () => ({}) });
}

export async function configured(own: Backend<{ readonly path: string }>, plain: Backend): Promise<void> {
  await openMempool({ backend: 'sqlite', path: 'x' }, { sqlite: own, ephemeral: plain });
  await openMempool(await loadConfig('mempool.toml'), { sqlite: own }, { log: (level, message) => [level, message] });
  await openMempool({ storage: { mempool: { backend: 'redb', path: 'x', max_finalized: 1 } } }, { sqlite: own });
  await openMempool({ storage: { path: './data' } }, { ephemeral: plain });
  holds<Same<ReturnType<typeof parseConfig>, MempoolConfig<string>>>();
  // @ts-expect-error there is no such deployment
  await openMempool({ backend: 'sqlite', deployment: 'cluster' }, { sqlite: own });
  // @ts-expect-error a backend is a value with three members
  await openMempool({ backend: 'sqlite' }, { sqlite: { name: 'sqlite' } });
}
