import assert from 'node:assert/strict';
import type { OpenOptions, Transaction } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRow, mustEach, ofBoundary } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { eachOnPool, onPool, openOther, openPool } from '../../scenario/on-pool.ts';
import { point } from '../../scenario/pool.ts';
import { readVerbs, refuses, writeVerbs } from '../../scenario/verb-call.ts';

interface BadInput {
  readonly name: string;
  /** The expected `details.field`. */
  readonly field: string;
  call(store: TestedPool, good: Transaction): Promise<unknown>;
}

const hex = 'ab';
const nothing = { seen: [], unseen: [] } as const;

/** A value that the types forbid, as a caller without type checks may pass it. */
function untyped<T>(value: unknown): T {
  return value as T;
}

const badHashes: readonly (readonly [string, unknown])[] = [
  ['odd', 'abc'],
  ['odd-after-0x', '0xabc'],
  ['0x-alone', '0x'],
  ['0x-twice', '0x0xab'],
  ['empty', ''],
  ['too-long', hex.repeat(65)],
  ['too-long-with-0x', `0x${hex.repeat(65)}`],
  ['not-hex', 'zz'],
  ['not-text', 12],
];

const badTransactions: readonly BadInput[] = [
  ...badHashes.map(([kind, hash]) => receiveWith(`hash-${kind}`, 'transactions[1].hash', { hash: untyped(hash) })),
  receiveWith('payload-text', 'transactions[1].payload', { payload: untyped('00ff') }),
  receiveWith('payload-array', 'transactions[1].payload', { payload: untyped([1, 2]) }),
  receiveWith('type-negative', 'transactions[1].payloadType', { payloadType: -1 }),
  receiveWith('type-too-large', 'transactions[1].payloadType', { payloadType: 65_536 }),
  receiveWith('unknown-field', 'transactions[1].payloadTyp', untyped({ payloadTyp: 7 })),
  receiveWith('unknown-verdict', 'transactions[1].verdikt', untyped({ verdikt: {} })),
  receiveWith('unknown-field-of-a-verdict', 'transactions[1].verdict.priorty', {
    verdict: untyped({ priorty: 1n }),
  } as Partial<Transaction>),
  receiveWith('type-fraction', 'transactions[1].payloadType', { payloadType: 1.5 }),
  { name: 'transaction-missing', field: 'transactions[0]', call: (store) => store.receive([untyped(null)]) },
  { name: 'no-list', field: 'transactions', call: (store) => store.receive(untyped('ab')) },
];

function receiveWith(name: string, field: string, wrong: Partial<Transaction>): BadInput {
  return { name, field, call: (store, good) => store.receive([good, { ...good, hash: 'abcd', ...wrong }]) };
}

const badLists: readonly BadInput[] = [
  { name: 'mark', field: 'hashes[1]', call: (store, { hash }) => store.markInflight([hash, 'XY']) },
  { name: 'acknowledge', field: 'hashes[1]', call: (store, { hash }) => store.markAcknowledged([hash, 'XY']) },
  { name: 'release', field: 'hashes[1]', call: (store, { hash }) => store.release([hash, 'XY']) },
  { name: 'drop', field: 'hashes[1]', call: (store, { hash }) => store.drop([hash, 'XY'], 'failed') },
  { name: 'status', field: 'hashes[0]', call: (store) => store.status(['XY']) },
  { name: 'find', field: 'hashes[0]', call: (store) => store.findInflight(['XY']) },
  {
    name: 'mark-no-list',
    field: 'hashes',
    call: (store, { hash }) => store.markInflight(untyped({ 0: hash, length: 1 })),
  },
  { name: 'reason-empty', field: 'reason.app', call: (store, { hash }) => store.drop([hash], { app: '' }) },
  { name: 'reason-long', field: 'reason.app', call: (store, { hash }) => store.drop([hash], { app: 'x'.repeat(257) }) },
  {
    name: 'reason-broken',
    field: 'reason.app',
    call: (store, { hash }) => store.drop([hash], { app: 'half \ud83d pair' }),
  },
  { name: 'reason-free', field: 'reason', call: (store, { hash }) => store.drop([hash], untyped('withdrawn')) },
  { name: 'reason-missing', field: 'reason', call: (store, { hash }) => store.drop([hash], untyped(undefined)) },
];

const badBlocks: readonly BadInput[] = [
  blockAt('slot-negative', 'block.point.slot', { slot: -1 }),
  blockAt('slot-unsafe', 'block.point.slot', { slot: 2 ** 53 }),
  blockAt('slot-fraction', 'block.point.slot', { slot: 0.5 }),
  blockAt('slot-missing', 'block.point.slot', { slot: untyped<number>(undefined) }),
  blockAt('point-short', 'block.point.hash', { hash: hex.repeat(31) }),
  {
    name: 'block-unknown-field',
    field: 'block.parrent',
    call: (store) => store.confirm(untyped({ point: point(2), parrent: point(1).hash, ...nothing })),
  },
  {
    name: 'point-unknown-field',
    field: 'block.point.number',
    call: (store) => store.confirm({ point: untyped({ ...point(1), number: 1 }), ...nothing }),
  },
  {
    name: 'rollback-unknown-field',
    field: 'point.number',
    call: (store) => store.rollback(untyped({ ...point(1), number: 1 })),
  },
  { name: 'block-missing', field: 'block', call: (store) => store.confirm(untyped(null)) },
  {
    name: 'parent',
    field: 'block.parent',
    call: (store) => store.confirm({ point: point(1), parent: 'genesis', ...nothing }),
  },
  {
    name: 'seen',
    field: 'block.seen[1]',
    call: (store, { hash }) => store.confirm({ point: point(1), seen: [hash, 'XY'], unseen: [] }),
  },
  {
    name: 'unseen',
    field: 'block.unseen[1]',
    call: (store, { hash }) => store.confirm({ point: point(1), seen: [hash], unseen: [hash, 'XY'] }),
  },
  thresholdOf('finalize-fraction', 'finalizeThreshold', 1.5),
  thresholdOf('drop-not-a-number', 'dropThreshold', Number.NaN),
  {
    name: 'policy-misspelt',
    field: 'policy.finaliseThreshold',
    call: (store) => store.confirm({ point: point(1), seen: [], unseen: [] }, untyped({ finaliseThreshold: 2 })),
  },
  {
    name: 'policy-null',
    field: 'policy',
    call: (store, { hash }) => store.confirm({ point: point(1), seen: [hash], unseen: [] }, untyped(null)),
  },
  { name: 'rollback-slot', field: 'point.slot', call: (store) => store.rollback({ ...point(1), slot: -5 }) },
  { name: 'rollback-hash', field: 'point.hash', call: (store) => store.rollback({ ...point(1), hash: '' }) },
  { name: 'rollback-missing', field: 'point', call: (store) => store.rollback(untyped(undefined)) },
  { name: 'rollback-null', field: 'point', call: (store) => store.rollback(untyped(null)) },
];

function blockAt(name: string, field: string, wrong: { slot?: number; hash?: string }): BadInput {
  const at = { ...point(1), ...wrong };
  return { name, field, call: (store, { hash }) => store.confirm({ point: at, seen: [hash], unseen: [] }) };
}

function thresholdOf(name: string, field: string, value: number): BadInput {
  const call: BadInput['call'] = (store, { hash }) =>
    store.confirm({ point: point(1), seen: [hash], unseen: [] }, { [field]: value });
  return { name, field, call };
}

const badNumbers: readonly BadInput[] = [
  { name: 'after-negative', field: 'after', call: (store) => store.peekPending({ after: 's-1.pool' }) },
  { name: 'after-fraction', field: 'after', call: (store) => store.peekInflight({ after: 's.5' }) },
  { name: 'limit-not-a-number', field: 'limit', call: (store) => store.peekPending({ limit: Number.NaN }) },
  { name: 'log-limit', field: 'limit', call: (store) => store.dumpFinalized({ limit: untyped('5') }) },
  { name: 'cursor-negative', field: 'cursor', call: (store) => store.dumpFinalized({ cursor: 'l-1.pool' }) },
  { name: 'cursor-unsafe', field: 'cursor', call: (store) => store.dumpFinalized({ cursor: 'lzzzzzzzzzzz.pool' }) },
  { name: 'subscribe-after', field: 'after', call: (store) => store.subscribe({ after: 'e.pool' }) },
  { name: 'after-number', field: 'after', call: (store) => store.peekPending({ after: untyped(3) }) },
  { name: 'after-of-the-log', field: 'after', call: (store) => store.peekInflight({ after: 'l3.pool' }) },
  { name: 'cursor-number', field: 'cursor', call: (store) => store.dumpFinalized({ cursor: untyped(3) }) },
  { name: 'subscribe-number', field: 'after', call: (store) => store.subscribe({ after: untyped(3) }) },
  { name: 'points-negative', field: 'points', call: (store) => store.tip({ points: -1 }) },
  operationOf('id-empty', ''),
  operationOf('id-long', 'x'.repeat(129)),
  operationOf('id-line-end', 'a\nb'),
  operationOf('id-not-ascii', 'ä'),
];

function operationOf(name: string, operationId: string): BadInput {
  return { name, field: 'operationId', call: (store, { hash }) => store.markInflight([hash], { operationId }) };
}

const badOptions: readonly (readonly [string, OpenOptions])[] = [
  ['finalizeThreshold', { finalizeThreshold: 2.5 }],
  ['dropThreshold', { dropThreshold: Number.NaN }],
  ['maxFinalized', { maxFinalized: 0 }],
  ['maxEvents', { maxEvents: -1 }],
  ['maxRollback', { maxRollback: 1.5 }],
  ['maxTxBytes', { maxTxBytes: Number.POSITIVE_INFINITY }],
  ['timeoutMs', { timeoutMs: 0 }],
];

/** Options that are wrong in every verb alike. */
const badCallOptions: readonly (readonly [name: string, field: string, options: unknown])[] = [
  ['signal', 'signal', { signal: 'soon' }],
  ['controller', 'signal', { signal: new AbortController() }],
  ['options-null', 'options', null],
  ['option-misspelt', 'sigal', { sigal: AbortSignal.abort() }],
];

/** Each must be refused by its field, before anything is written. */
function refusing(id: string, title: string, rows: readonly BadInput[]): ConformanceCase {
  return onPool(id, title, async (pool, store) => {
    const [good = pool.transaction()] = await pool.receive(1);
    await eachRow(
      rows,
      ({ name }) => name,
      ({ field, call }) => pool.unchanged(() => refuses(call(store, good), 'ERR_MEMPOOL_INVALID', { field })),
    );
  });
}

const bad: readonly ConformanceCase[] = [
  refusing(
    'M2/transactions',
    'a bad transaction is refused by the name of its field, and nothing is written',
    badTransactions,
  ),
  refusing(
    'M2/hashes',
    'a bad list of hashes or a bad reason is refused by its name, and nothing is written',
    badLists,
  ),
  refusing('M2/blocks', 'a bad block, policy or target is refused by its name, and nothing is written', badBlocks),
  refusing(
    'M2/queries',
    'a bad cursor, limit or operation id is refused by its name, and nothing is written',
    badNumbers,
  ),
  ...mustEach({
    'M2/open: open refuses a bad option and names it': (context) =>
      eachRow(
        badOptions,
        ([field]) => field,
        ([field, options]) => refuses(context.openOther(options), 'ERR_MEMPOOL_INVALID', { field }),
      ),
    'M2/call-options: every verb refuses bad options before anything is written, and takes null as no signal': async (
      context,
    ) => {
      for (const { verb, arrange } of writeVerbs) {
        const pool = await openOther(context);
        const { call } = await arrange(pool);
        await eachRow(
          badCallOptions,
          ([name]) => `${verb}, ${name}`,
          ([, field, options]) =>
            pool.unchanged(() => refuses(call(untyped(options)), 'ERR_MEMPOOL_INVALID', { field })),
        );
        const { lastEventSeq } = await pool.store.usage();
        await call(untyped({ signal: null }));
        assert.ok((await pool.store.usage()).lastEventSeq > lastEventSeq);
      }
      const { store } = await openPool(context);
      for (const { verb, call } of readVerbs) {
        await eachRow(
          badCallOptions,
          ([name]) => `${verb}, ${name}`,
          ([, field, options]) => refuses(call(store, hex, untyped(options)), 'ERR_MEMPOOL_INVALID', { field }),
        );
        await call(store, hex, untyped({ signal: null }));
      }
    },
  }),
];

const ownPools = mustEach({
  'M2/largest-payload: a payload of exactly maxTxBytes is received, one byte more is too large': async (context) => {
    const pool = await openPool(context, { maxTxBytes: 100 });
    const [fits, larger] = [pool.transaction(100), pool.transaction(101)];
    await pool.store.receive([fits]);
    const [answer] = await pool.store.receive([larger]);
    assert.deepEqual(answer, { kind: 'too-large', hash: larger.hash, maxTxBytes: 100 });
    assert.deepEqual(await pool.pending(), [fits.hash]);
  },
  'M2/payload-too-large: a payload that is too large is answered "too-large", the others are received': async (
    context,
  ) => {
    const pool = await openPool(context, { maxTxBytes: 100 });
    const sizes = [101, 100, 5_000, 1];
    const batch = sizes.map((bytes) => pool.transaction(bytes));
    const outcomes = await pool.store.receive(batch);
    assert.deepEqual(
      outcomes.map(({ kind, hash }) => [kind, hash]),
      batch.map(({ hash }, i) => [i % 2 === 0 ? 'too-large' : 'received', hash]),
    );
    assert.deepEqual(await pool.pending(), [batch[1]?.hash, batch[3]?.hash]);
  },
  'M2/too-large-repeated: a repeated call answers its too large payload again': async (context) => {
    const pool = await openPool(context, { maxTxBytes: 100 });
    const batch = [pool.transaction(101), pool.transaction(9)];
    const first = await pool.store.receive(batch, { operationId: 'operation-1' });
    await pool.drop(batch[1]?.hash ?? '');
    assert.deepEqual(await pool.store.receive(batch, { operationId: 'operation-1' }), first);
  },
});

const onePool = eachOnPool({
  'M2/default-payload: by default a payload may have 1 MiB': async (pool, store) => {
    const one = { ...pool.transaction(), payload: new Uint8Array(1_048_576) };
    assert.equal((await store.receive([one]))[0]?.kind, 'received');
  },
  'M2/others-unharmed: bad input from one caller does not reject the calls of others': async (pool, store) => {
    const [before, after] = [pool.transaction(), pool.transaction()];
    const bad = { ...pool.transaction(), payloadType: 70_000 };
    const calls = [store.receive([before]), store.receive([bad]), store.receive([after])];
    const results = await Promise.allSettled(calls);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(await pool.pending(), [before.hash, after.hash]);
  },
  'M2/order-across-verbs: calls that were not awaited take effect in the order made': async (pool, store) => {
    const one = pool.transaction();
    await Promise.all([
      store.receive([one]),
      pool.mark(one.hash),
      store.confirm({ point: point(1), seen: [], unseen: [] }),
      pool.acknowledge(one.hash),
      pool.release(one.hash),
      pool.mark(one.hash),
      store.confirm({ point: point(2), seen: [one.hash], unseen: [] }),
      pool.rollback(1),
      pool.drop(one.hash),
    ]);
    const { lastEventSeq } = await store.usage();
    assert.deepEqual([await pool.stages(one.hash), lastEventSeq], [['Dropped'], 11]);
  },
  'M2/reads-in-order: a read that was not awaited sees the calls made before it': async (pool, store) => {
    const one = pool.transaction();
    const [, status] = await Promise.all([store.receive([one]), pool.stages(one.hash)]);
    assert.deepEqual(status, ['Pending']);
  },
});

export const inputCases: readonly ConformanceCase[] = [...ofBoundary(bad, ['M2/hashes']), ...ownPools, ...onePool];
