import assert from 'node:assert/strict';
import { isMempoolError, type OpenOptions } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked, eachRow, ofBoundary } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { point } from '../../scenario/pool.ts';
import {
  eachOnPriorityPool,
  onPriorityPool,
  openScene,
  type Scene,
  type Submission,
  type Verdict,
} from '../../scenario/priority.ts';
import { refuses, rejection } from '../../scenario/verb-call.ts';

interface BadInput {
  readonly name: string;
  /** The expected `details.field`. */
  readonly field: string;
  call(store: TestedPool, good: Submission): Promise<unknown>;
}

/** A value that the types forbid, as a caller without type checks may pass it. */
function untyped<T>(value: unknown): T {
  return value as T;
}

const unusual: readonly (readonly [string, keyof Verdict, unknown])[] = [
  ['priority-number', 'priority', 5],
  ['priority-large', 'priority', 2n ** 63n],
  ['priority-low', 'priority', -(2n ** 63n) - 1n],
  ['sender-number', 'sender', 7],
  ['sender-long', 'sender', 's'.repeat(257)],
  ['sender-broken', 'sender', 'half \ud83d pair'],
  ['sender-limit-zero', 'senderLimit', 0],
  ['sender-limit-fraction', 'senderLimit', 1.5],
  ['gas-negative', 'gas', -1],
  ['gas-unsafe', 'gas', 2 ** 53],
  ['gas-bigint', 'gas', 1n],
  ['provides-text', 'provides', 'x'],
  ['provides-many', 'provides', Array.from({ length: 1_025 }, (_, i) => `t${i}`)],
  ['requires-many', 'requires', Array.from({ length: 1_025 }, (_, i) => `t${i}`)],
  ['expiry-negative', 'expiresAt', -1],
  ['expiry-fraction', 'expiresAt', 0.5],
  ['height-negative', 'expiresAtHeight', -1],
  ['propagate-text', 'propagate', 'yes'],
  ['protected-number', 'protected', 1],
];

const badVerdicts: readonly BadInput[] = [
  ...unusual.map(([name, field, value]) => verdictOf(name, field, { [field]: value })),
  verdictOf('tip-alone', 'maxPriority', { tip: 1n }),
  verdictOf('tip-missing', 'tip', { maxPriority: 1n }),
  verdictOf('tip-negative', 'tip', { maxPriority: 1n, tip: -1n }),
  verdictOf('tip-number', 'tip', { maxPriority: 1n, tip: untyped(1) }),
  verdictOf('tip-large', 'tip', { maxPriority: 1n, tip: 2n ** 63n }),
  verdictOf('max-priority-large', 'maxPriority', { maxPriority: 2n ** 63n, tip: 1n }),
  verdictOf('tip-beside-priority', 'priority', { maxPriority: 1n, tip: 1n, priority: 1n }),
  verdictOf('provides-empty-tag', 'provides[1]', { provides: ['x', ''] }),
  verdictOf('provides-long-tag', 'provides[0]', { provides: ['x'.repeat(257)] }),
  verdictOf('requires-number', 'requires[0]', { requires: untyped([3]) }),
  verdictOf('requires-broken', 'requires[0]', { requires: ['half \ud83d pair'] }),
  submissionOf('verdict-null', 'verdict', { verdict: untyped(null) }),
  submissionOf('from-empty', 'from', { from: '' }),
  submissionOf('from-long', 'from', { from: 'p'.repeat(257) }),
  submissionOf('from-number', 'from', { from: untyped(4) }),
];

function verdictOf(name: string, field: string, verdict: object): BadInput {
  return submissionOf(name, `verdict.${field}`, { verdict: untyped(verdict) });
}

function submissionOf(name: string, field: string, wrong: Partial<Submission>): BadInput {
  const call: BadInput['call'] = (store, good) => store.receive([good, { ...good, hash: 'abcd', ...wrong }]);
  return { name: `receive-${name}`, field: `transactions[1].${field}`, call };
}

const mine = { owner: 'o', claimMs: 1 };

const badCalls: readonly BadInput[] = [
  { name: 'receive-now', field: 'now', call: (store, good) => store.receive([good], { now: -1 }) },
  { name: 'receive-height', field: 'height', call: (store, good) => store.receive([good], { height: 1.5 }) },
  { name: 'reap-bytes', field: 'budget.maxBytes', call: (store) => store.reap({ maxBytes: -1 }) },
  { name: 'reap-gas', field: 'budget.maxGas', call: (store) => store.reap({ maxGas: Number.NaN }) },
  { name: 'reap-count', field: 'budget.maxTxs', call: (store) => store.reap({ maxTxs: 0.5 }) },
  { name: 'reap-skip', field: 'budget.skip', call: (store) => store.reap({ skip: Number.POSITIVE_INFINITY }) },
  { name: 'reap-overhead', field: 'budget.overheadBytes', call: (store) => store.reap({ overheadBytes: -2 }) },
  { name: 'reap-null', field: 'budget', call: (store) => store.reap(untyped(null)) },
  { name: 'reap-payloads', field: 'payloads', call: (store) => store.reap({}, untyped({ payloads: 1 })) },
  { name: 'reap-view', field: 'view', call: (store) => store.reap({}, untyped({ payloads: true, view: 1 })) },
  { name: 'reap-view-alone', field: 'view', call: (store) => store.reap({}, untyped({ view: true })) },
  { name: 'payloads-view', field: 'view', call: (store) => store.payloads([], untyped({ view: 'yes' })) },
  { name: 'reap-misspelt', field: 'budget.maxByte', call: (store) => store.reap(untyped({ maxByte: 1 })) },
  { name: 'take-null', field: 'budget', call: (store) => store.take(untyped(null), mine) },
  { name: 'take-misspelt', field: 'leaseMS', call: (store) => store.take({}, untyped({ ...mine, leaseMS: 5 })) },

  { name: 'limits-null', field: 'limits', call: (store) => store.setLimits(untyped(null)) },
  { name: 'limits-misspelt', field: 'limits.maxTx', call: (store) => store.setLimits(untyped({ maxTx: 1 })) },
  { name: 'flush-signal', field: 'signal', call: (store) => store.flush(untyped({ signal: 1 })) },
  { name: 'revise-long', field: 'revisions', call: (store) => store.revise(new Array(5_000)) },
  { name: 'best-after', field: 'after', call: (store) => store.best({ after: 'somewhere' }) },
  { name: 'best-after-number', field: 'after', call: (store) => store.best({ after: untyped(3) }) },
  { name: 'best-limit', field: 'limit', call: (store) => store.best({ limit: Number.NaN }) },
  { name: 'take-no-options', field: 'options', call: (store) => store.take({}, untyped(undefined)) },
  { name: 'take-owner-empty', field: 'owner', call: (store) => store.take({}, { ...mine, owner: '' }) },
  { name: 'take-owner-space', field: 'owner', call: (store) => store.take({}, { ...mine, owner: 'a b' }) },
  { name: 'take-owner-long', field: 'owner', call: (store) => store.take({}, { ...mine, owner: 'o'.repeat(129) }) },
  { name: 'take-lease-zero', field: 'claimMs', call: (store) => store.take({}, { ...mine, claimMs: 0 }) },
  { name: 'take-lease-endless', field: 'claimMs', call: (store) => store.take({}, { ...mine, claimMs: Infinity }) },
  { name: 'take-budget', field: 'budget.maxTxs', call: (store) => store.take({ maxTxs: -1 }, mine) },
  { name: 'take-now', field: 'now', call: (store) => store.take({}, { ...mine, now: 0.5 }) },
  { name: 'sweep-now', field: 'now', call: (store) => store.sweep({ now: Number.NaN }) },
  { name: 'sweep-height', field: 'height', call: (store) => store.sweep({ height: -1 }) },
  { name: 'since-negative', field: 'after', call: (store) => store.since({ after: 'g-1.pool' }) },
  { name: 'since-except', field: 'except', call: (store) => store.since({ except: '' }) },
  { name: 'since-hashes', field: 'hashesOnly', call: (store) => store.since({ hashesOnly: untyped('yes') }) },
  { name: 'since-limit', field: 'limit', call: (store) => store.since({ limit: Number.NaN }) },
  { name: 'sweep-over-limits', field: 'overLimits', call: (store) => store.sweep({ overLimits: untyped(1) }) },
  { name: 'take-payloads', field: 'payloads', call: (store) => store.take({}, untyped({ ...mine, payloads: 1 })) },
  { name: 'extend-id', field: 'claimId', call: (store) => store.extendClaim('', 5) },
  { name: 'extend-zero', field: 'claimMs', call: (store) => store.extendClaim('one', 0) },
  { name: 'extend-owner', field: 'owner', call: (store) => store.extendClaim('one', 5, untyped({ owner: 'o' })) },
  { name: 'guard-empty', field: 'claim', call: (store, { hash }) => store.release([hash], { claim: '' }) },
  {
    name: 'guard-number',
    field: 'claim',
    call: (store, { hash }) => store.drop([hash], 'failed', untyped({ claim: 5 })),
  },
  {
    name: 'mark-guard',
    field: 'claim',
    call: (store, { hash }) => store.markInflight([hash], untyped({ claim: 'c' })),
  },
  { name: 'not-before', field: 'notBeforeMs', call: (store, { hash }) => store.release([hash], { notBeforeMs: -1 }) },
  {
    name: 'drop-not-before',
    field: 'notBeforeMs',
    call: (store, { hash }) => store.drop([hash], 'failed', untyped({ notBeforeMs: 5 })),
  },
  { name: 'payloads', field: 'hashes[1]', call: (store, { hash }) => store.payloads([hash, 'XY']) },
  { name: 'parked-after', field: 'after', call: (store) => store.peekParked({ after: 's-1.pool' }) },
  { name: 'stale-height', field: 'height', call: (store) => store.stale({ height: -1 }) },
  { name: 'stale-nothing', field: 'height', call: (store) => store.stale(untyped({})) },

  { name: 'block-tag-empty', field: 'block.provides[0]', call: (store) => store.confirm(blockOf([''])) },
  { name: 'block-tags-text', field: 'block.provides', call: (store) => store.confirm(blockOf(untyped('x'))) },
];

function blockOf(provides: readonly string[]): Parameters<TestedPool['confirm']>[0] {
  return { point: point(1), seen: [], unseen: [], provides };
}

const revision = { version: 1, answer: { priority: 9n } };
const refusal = { code: 1, log: 'no', penalize: false };

const badRevisions: readonly BadInput[] = [
  { name: 'no-list', field: 'revisions', call: (store) => store.revise(untyped('x')) },
  { name: 'null', field: 'revisions[0]', call: (store) => store.revise([untyped(null)]) },
  {
    name: 'twice',
    field: 'revisions',
    call: (store, { hash }) =>
      store.revise([
        { hash, ...revision },
        { hash: `0x${hash.toUpperCase()}`, ...revision },
      ]),
  },
  reviseWith('hash', 'hash', { hash: 'XY' }),
  reviseWith('version', 'version', { version: 0.5 }),
  reviseWith('no-answer', 'answer', { answer: null }),
  reviseWith('verdict', 'answer.gas', { answer: { gas: -1 } }),
  reviseWith('code-zero', 'answer.code', { answer: { ...refusal, code: 0 } }),
  reviseWith('log', 'answer.log', { answer: { ...refusal, log: 4 } }),
  reviseWith('penalize', 'answer.penalize', { answer: { ...refusal, penalize: 'no' } }),
  reviseWith('data', 'answer.data', { answer: { ...refusal, data: 'ff' } }),
];

function reviseWith(name: string, field: string, wrong: object): BadInput {
  const call: BadInput['call'] = (store, { hash }) =>
    store.revise([{ hash, ...revision }, untyped({ hash: 'ef', ...revision, ...wrong })]);
  return { name: `revise-${name}`, field: `revisions[1].${field}`, call };
}

const badLimits: readonly (readonly [keyof OpenOptions, unknown])[] = [
  ['maxTxs', -1],
  ['maxBytes', 0.5],
  ['maxTxGas', Number.NaN],
  ['maxPerSender', '3'],
  ['maxParked', -1],
  ['maxProtected', -1],
  ['maxAncestors', -1],
  ['maxDescendants', 2 ** 53],
  ['maxEvictions', -1],
  ['replacementBump', 10_001],
  ['ttlMs', -5],
  ['ttlBlocks', 1n],
  ['parkedTtlMs', -1],
  ['minPriority', 2n ** 63n],
  ['eviction', 'highest'],
];

/** Each must be refused by its field, before anything is written. */
function refusing(id: string, title: string, rows: readonly BadInput[]): ConformanceCase {
  return onPriorityPool(id, title, async (scene) => {
    await scene.fill({ a: {} });
    await eachRow(
      rows,
      ({ name }) => name,
      ({ field, call }) =>
        scene.unchanged(() => refuses(call(scene.store, scene.submission('a')), 'ERR_MEMPOOL_INVALID', { field })),
    );
  });
}

const bad: readonly ConformanceCase[] = [
  refusing('P17/verdicts', 'a bad verdict or peer is refused by its name, and nothing is written', badVerdicts),
  refusing('P17/calls', 'a bad argument of any other verb is refused by its name, and nothing is written', badCalls),
  refusing('P17/revisions', 'a bad revision is refused by its name, and nothing is written', badRevisions),
  onPriorityPool('P17/limits', 'open and setLimits refuse a bad limit and name it', (scene, context) =>
    eachRow(
      badLimits,
      ([name]) => name,
      async ([name, value]) => {
        await scene.unchanged(async () => {
          assert.equal(await refusedField(scene.store.setLimits({ maxTxs: 9, [name]: value })), name);
        });
        assert.equal(await refusedField(context.openOther({ ordering: 'priority', [name]: value })), name);
      },
    ),
  ),
];

async function refusedField(promise: Promise<unknown>): Promise<unknown> {
  const error = await rejection(promise);
  assert.ok(isMempoolError(error, 'ERR_MEMPOOL_INVALID'));
  return error.details.field;
}

const ownPools = eachRanked({
  'P17/open-ordering: open refuses an unknown ordering, and a clock that is not a function': async (context) => {
    assert.equal(await refusedField(context.open({ ordering: untyped('lifo') })), 'ordering');
    assert.equal(await refusedField(context.open({ ordering: 'priority', now: untyped(5) })), 'now');
  },
  'P17/largest: the largest verdict allowed is accepted and kept whole': async (context) => {
    const scene = await openScene(context, { maxAncestors: 1_024 });
    const tags = (prefix: string) => Array.from({ length: 1_024 }, (_, i) => `${prefix}${i}:`.padEnd(256, 'ü'));
    const verdict = { sender: 'ß'.repeat(256), provides: tags('p'), requires: tags('r'), gas: Number.MAX_SAFE_INTEGER };
    await scene.add('a', { ...verdict, from: '不'.repeat(256), expiresAt: Number.MAX_SAFE_INTEGER });
    const { sender, provides, requires, gas, sources, expiresAt } = await scene.entry('a');
    assert.deepEqual({ sender, provides, requires, gas }, verdict);
    assert.deepEqual([sources, expiresAt], [['不'.repeat(256)], Number.MAX_SAFE_INTEGER]);
  },
});

const onePool = eachOnPriorityPool({
  'P17/call-size: a call takes a thousand submissions or revisions, and no more': async (scene) => {
    const batch = Array.from({ length: 1_001 }, (_, i) => scene.submission(`n${i}`, { bytes: 1, priority: 1n }));
    assert.equal(await refusedField(scene.store.receive(batch)), 'transactions');
    assert.equal((await scene.store.receive(batch.slice(1))).length, 1_000);
    const revisions = batch.map(({ hash }) => ({ hash, ...revision }));
    assert.equal(await refusedField(scene.store.revise(revisions)), 'revisions');
    const outcomes = await scene.store.revise(revisions.slice(1));
    assert.ok(outcomes.length === 1_000 && outcomes.every(({ kind }) => kind === 'revised'));
  },
  'P17/receive-payload-large: a payload that is too large is answered so, the others are received': async (scene) => {
    const [large, small] = [scene.submission('a'), scene.submission('b')];
    const outcomes = await scene.store.receive([{ ...large, payload: new Uint8Array(1_048_577) }, small]);
    assert.deepEqual(outcomes[0], { kind: 'too-large', hash: large.hash, maxTxBytes: 1_048_576 });
    assert.equal(outcomes[1]?.kind, 'received');
  },
  'P17/any-text: tags and senders are any text, compared unit by unit': async (scene) => {
    const odd = ['__proto__', 'constructor', ' ', '\u0000', 'é', 'e\u0301', '{a}:*"\'\\', 'A', 'a'];
    await scene.fill(Object.fromEntries(odd.map((tag, i) => [`n${i}`, { sender: tag, provides: [tag] }])));
    await scene.add('all', { requires: odd });
    const { providers, senders } = await scene.dump();
    assert.deepEqual([await scene.parked(), providers.length, senders.length], [[], odd.length, odd.length]);
  },
  'P17/copied: changes by the caller to bytes, tags and limits after the call do not reach the pool': async (scene) => {
    const payload = new Uint8Array([1, 2, 3]);
    const provides = ['x'];
    const { hash } = scene.submission('a');
    const receiving = scene.store.receive([{ hash, payload, payloadType: 0, verdict: { provides } }]);
    payload.fill(9);
    provides.push('y');
    await receiving;
    Object.assign(await scene.store.setLimits({}), { maxTxs: 0 });
    const [stored] = await scene.store.payloads([hash]);
    assert.deepEqual([...(stored?.payload ?? [])], [1, 2, 3]);
    assert.deepEqual([(await scene.entry('a')).provides, (await scene.add('b')).kind], [['x'], 'received']);
  },
});

export const poolInputCases: readonly ConformanceCase[] = [
  ...ofBoundary([...bad, ...lateCalls()], ['P17/limits', 'P17/closed']),
  ...ownPools,
  ...onePool,
];

/** The verbs of a pool with limits, each in a call that would do something. */
function verbCalls(scene: Scene): Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>> {
  const { store } = scene;
  const hash = scene.hash('a');
  return {
    receive: (signal) => store.receive([scene.submission('b', { priority: 1n })], { signal }),
    reap: (signal) => store.reap({}, { signal }),
    best: (signal) => store.best({ signal }),
    take: (signal) => store.take({}, { ...mine, signal }),
    sweep: (signal) => store.sweep({ signal }),
    since: (signal) => store.since({ signal }),
    payloads: (signal) => store.payloads([hash], { signal }),
    peekParked: (signal) => store.peekParked({ signal }),
    stale: (signal) => store.stale({ height: 1, signal }),
    revise: (signal) => store.revise([{ hash, ...revision }], { signal }),
    flush: (signal) => store.flush({ signal }),
    setLimits: (signal) => store.setLimits({ maxTxs: 1 }, { signal }),
  };
}

function lateCalls(): readonly ConformanceCase[] {
  const aborted = 'a call whose signal has ended it already rejects with its reason and changes nothing, in every verb';
  return [
    onPriorityPool('P17/closed', 'after close every verb rejects as closed', async (scene, context) => {
      await scene.fill({ a: {} });
      await scene.store.close();
      for (const [verb, call] of Object.entries(verbCalls(scene)))
        assert.ok(isMempoolError(await rejection(call(context.signal)), 'ERR_MEMPOOL_CLOSED'), verb);
    }),
    onPriorityPool('P17/aborted', aborted, async (scene) => {
      await scene.fill({ a: {} });
      const reason = new Error('enough');
      const signal = AbortSignal.abort(reason);
      await scene.unchanged(async () => {
        for (const [verb, call] of Object.entries(verbCalls(scene)))
          assert.equal(await rejection(call(signal)), reason, verb);
      });
    }),
  ];
}
