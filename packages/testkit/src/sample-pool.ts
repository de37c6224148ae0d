import type { ChainPoint, MempoolStore, OpenOptions, Submission } from 'mempool-core';

// A pool with something of everything that is stored. The fixtures of older formats were filled by these calls, with the code of
// then. Tests fill pools of today by the same calls, and compare the two.

/** The kinds of sample pools. `fifo` has no claims, so on SQLite its file lacks the tables of claims. */
export type SampleKind = 'fifo' | 'claimed' | 'priority';

/** The time of the sample's clock, which stands still. */
const nowMs = 1_780_000_000_000;

export function sampleOptions(kind: SampleKind): OpenOptions {
  const ordering = kind === 'priority' ? 'priority' : 'fifo';
  return { pool: 'sample', ordering, now: () => nowMs, maxFinalized: 9, maxRollback: 3 };
}

function hashOf(n: number): string {
  return n.toString(16).padStart(64, '0');
}

function hashes(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => hashOf(first + i));
}

function pointOf(n: number): ChainPoint {
  return { slot: 20 * n, hash: hashOf(0xb10c_0000 + n) };
}

/** What priority pools know beside the price: parents, a parked one, a replacement, expiry, a sender and a peer. */
const verdicts: Readonly<Record<number, Submission['verdict']>> = {
  9: { priority: 7n, expiresAt: nowMs + 5_000, sender: 'ann', senderLimit: 3 },
  10: { priority: 5n, provides: ['a'] },
  11: { priority: 900n, requires: ['a'], gas: 21 },
  12: { priority: 2n ** 62n, requires: ['nobody gives it'] },
  16: { priority: -(2n ** 63n), propagate: false, expiresAtHeight: 9 },
  20: { priority: 80n, provides: ['a'] },
};

function submission(kind: SampleKind, n: number): Submission {
  const payload = Buffer.alloc(24, `payload ${n} `);
  const transaction = { hash: hashOf(n), payload, payloadType: (n * 4_099) % 65_536 };
  if (kind !== 'priority') return transaction;
  return { ...transaction, from: `peer-${n % 3}`, verdict: verdicts[n] ?? { priority: BigInt((n * 7_919) % 100) } };
}

function submissions(kind: SampleKind, first: number, count: number): Submission[] {
  return Array.from({ length: count }, (_, i) => submission(kind, first + i));
}

const patient = { dropThreshold: Number.POSITIVE_INFINITY } as const;

/** The calls with an operation id. */
function namedCalls(store: MempoolStore, kind: SampleKind): readonly (() => Promise<unknown>)[] {
  const block = { point: pointOf(1), seen: hashes(0, 3), unseen: [] };
  const named = [
    () => store.receive(submissions(kind, 0, 20), { operationId: 'receive' }),
    () => store.markInflight(hashes(0, 8), { operationId: 'mark' }),
    () => store.drop(hashes(18, 2), { app: 'of no use' }, { operationId: 'drop' }),
    () => store.confirm(block, patient, { operationId: 'block' }),
    () => store.rollback(pointOf(2), { operationId: 'undo' }),
  ];
  if (kind === 'fifo') return named;
  const taken = () => store.take({ maxTxs: 4 }, { owner: 'worker', claimMs: 60_000, operationId: 'claim' });
  return [...named, taken, () => store.setLimits({ maxTxs: 500 }, { operationId: 'limits' })];
}

/** Repeats the calls of the sample and returns their answers: the first answers, and for a claim the transactions left in it (X2). */
export async function repeatSample(store: MempoolStore, kind: SampleKind): Promise<unknown> {
  const answers: unknown[] = [];
  for (const call of namedCalls(store, kind)) answers.push(await call());
  return plain(answers);
}

/** Uses the operation ids of the sample for other calls. Returns the codes of the errors. */
export async function reuseSample(store: MempoolStore, kind: SampleKind): Promise<unknown[]> {
  const reused = [
    store.receive(submissions(kind, 1, 1), { operationId: 'receive' }),
    store.markInflight(hashes(19, 1), { operationId: 'mark' }),
    store.drop(hashes(1, 1), { app: 'of no use' }, { operationId: 'drop' }),
    store.confirm({ point: pointOf(9), seen: [], unseen: [] }, {}, { operationId: 'block' }),
    store.release(hashes(1, 1), { operationId: 'undo' }),
  ];
  const answers = await Promise.allSettled(reused);
  return answers.map((answer) => (answer.status === 'rejected' ? (answer.reason as { code: unknown }).code : answer));
}

/** Fills an empty pool that was opened with `sampleOptions`. */
export async function fillSample(store: MempoolStore, kind: SampleKind): Promise<void> {
  const [receive, mark, drop, block, undo, ...claims] = namedCalls(store, kind) as readonly Named[] as FiveOrMore;
  await receive();
  await mark();
  await store.markAcknowledged(hashes(4, 3));
  await drop();
  await store.receive([submission(kind, 18)]);
  await block();
  const second = { point: pointOf(2), parent: pointOf(1).hash, seen: [hashOf(3), hashOf(99)], unseen: hashes(5, 1) };
  const provides = kind === 'priority' ? ['b'] : [];
  await store.confirm({ ...second, provides }, { dropThreshold: 2 });
  const agreed = { point: pointOf(3), seen: [hashOf(19), hashOf(6)], unseen: [] };
  await store.confirm(agreed, { ...patient, finalizeThreshold: 3 });
  await undo();
  await store.receive([submission(kind, 99), submission(kind, 20)]);
  await store.markInflight(hashes(13, 2));
  await store.markAcknowledged(hashes(13, 1));
  for (const claim of claims) await claim();
  if (kind === 'fifo') return;
  await store.take({ maxTxs: 2 }, { owner: 'other', claimMs: 1_000, operationId: 'short claim' });
  await store.release([(await store.peekInflight()).transactions.at(-1)?.hash ?? '']);
}

interface Told {
  readonly kind: string;
}

/** The events as the oldest format numbers them: it told of no transaction that was parked or became ready. */
function withoutPlaces(events: readonly Told[]): readonly Told[] {
  const kept = events.filter(({ kind }) => kind !== 'parked' && kind !== 'ready');
  return kept.map((event, index) => ({ ...event, eventSeq: index + 1 }));
}

type Named = () => Promise<unknown>;
type FiveOrMore = readonly [Named, Named, Named, Named, Named, ...Named[]];

/** Returns everything that can be read from the pool and that the oldest format has. */
export async function observeSample(store: MempoolStore): Promise<unknown> {
  const { pending, propagated, acknowledged, confirmed, logged, lastLogSeq, lastSeq, lastEventSeq } =
    await store.usage();
  const events: Told[] = [];
  for await (const { cursor: _, ...event } of await store.subscribe({ after: 'origin' }))
    if (events.push(event) === lastEventSeq) break;
  const told = withoutPlaces(events);
  const { epoch: _, ...tip } = await store.tip({ points: 10 });
  return plain({
    counts: { pending, propagated, acknowledged, confirmed, logged, lastLogSeq, lastSeq, lastEventSeq: told.length },
    pending: (await store.peekPending()).transactions,
    inflight: (await store.peekInflight()).transactions,
    parked: (await store.peekParked()).transactions,
    log: (await store.dumpFinalized()).entries,
    statuses: await store.checkStatus([...hashes(0, 22), hashOf(99)]),
    tip,
    order: await store.reap(),
    gossip: (await store.since()).items,
    events: told,
    dump: store.ordering === 'priority' ? await indexesOf(store) : null,
  });
}

/** Makes further calls on a filled pool. Returns their answers, and everything that can be read afterwards. */
export async function goOn(store: MempoolStore, kind: SampleKind): Promise<unknown> {
  const answers = [
    await store.receive([...submissions(kind, 0, 1), ...submissions(kind, 19, 1), ...submissions(kind, 40, 1)]),
    await store.sweep({ now: nowMs }),
    await store.confirm({ point: pointOf(4), parent: pointOf(2).hash, seen: hashes(40, 1), unseen: [] }, patient),
    await store.rollback(pointOf(1)),
    await store.drop(hashes(5, 1), { app: 'at last' }),
    await store.confirm(
      { point: pointOf(5), seen: hashes(7, 3), unseen: [] },
      { finalizeThreshold: 1, dropThreshold: 2 },
    ),
    await store.flush(),
  ];
  return { answers: plain(answers), all: await observeSample(store) };
}

/** Fields that later formats added. */
const newer: ReadonlySet<string> = new Set([
  'at',
  'receivedAt',
  'parkedAt',
  'parkedTtlMs',
  'minPriority',
  'belowFloor',
  'maxProtected',
  'acceptUntil',
  'attempts',
  'replacedBy',
  'notBefore',
  'cause',
  'cursor',
  'nodeId',
  'term',
]);

/**
 * The same as JSON, in the words of the oldest format: without newer fields, bytes as hex, big numbers as text. It said `RolledBack` for
 * a return to Pending, and a reason was a text.
 */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (value === Number.POSITIVE_INFINITY) return 'never';
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => !newer.has(name));
  return Object.fromEntries(
    fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, inOldWords(name, field)]),
  );
}

function inOldWords(name: string, field: unknown): unknown {
  if (name === 'stage' && field === 'RolledBack') return 'Pending';
  if (name === 'reason' && typeof field === 'object' && field !== null && 'app' in field) return field.app;
  return plain(field);
}

/** The samples have no content: dumps had none when they were made. */
async function indexesOf(store: MempoolStore) {
  const { ordering: _, content: __, ...indexes } = await store.dump();
  return indexes;
}
