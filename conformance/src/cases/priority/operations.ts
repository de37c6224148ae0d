import assert from 'node:assert/strict';
import type { AnyStore } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked, mustRank } from '../../case/must.ts';
import { startMs } from '../../scenario/on-pool.ts';
import { kindsOf, point } from '../../scenario/pool.ts';
import { eachOnPriorityPool, ladder, openScene, type Scene } from '../../scenario/priority.ts';
import { refusals } from '../../scenario/priority-refusals.ts';
import { refuses } from '../../scenario/verb-call.ts';

interface OwnVerb {
  readonly verb: 'receive' | 'revise' | 'sweep' | 'flush' | 'setLimits';
  /** The same call again and again, with an effect on the arranged scene. */
  call(scene: Scene, options: { readonly operationId: string }): Promise<unknown>;
  /** Changes the pool so that the call would have an effect again. */
  again(scene: Scene): Promise<unknown>;
}

const fresh = { priority: 2n, requires: ['missing'] };

const ownVerbs: readonly OwnVerb[] = [
  {
    verb: 'receive',
    call: (scene, options) => scene.store.receive([scene.submission('new', fresh)], options),
    again: (scene) => scene.drop('new'),
  },
  {
    verb: 'revise',
    call: (scene, options) => scene.store.revise(revisionsOf(scene), options),
    again: (scene) => scene.fill({ t1: {} }),
  },
  {
    verb: 'sweep',
    call: (scene, options) => scene.store.sweep(options),
    again: (scene) => scene.fill({ old: { expiresAt: startMs - 1 } }),
  },
  {
    verb: 'flush',
    call: (scene, options) => scene.store.flush(options),
    again: (scene) => scene.fill(ladder([9, 8])),
  },
  {
    verb: 'setLimits',
    call: (scene, options) => scene.store.setLimits({ maxTxs: 2 }, options),
    again: (scene) => scene.store.setLimits({ maxTxs: 7 }),
  },
];

function revisionsOf(scene: Scene): Parameters<AnyStore['revise']>[0] {
  const answers = [{ priority: 7n }, { code: 1, log: 'no', penalize: true }, { gas: 3 }];
  return answers.map((answer, i) => ({ hash: scene.hash(`t${i}`), version: i === 2 ? 5 : 1, answer }));
}

async function arranged(context: Parameters<ConformanceCase['run']>[0]): Promise<Scene> {
  const scene = await openScene(context);
  await scene.fill({ ...ladder([1, 2, 3]), old: { expiresAt: startMs - 1 } });
  return scene;
}

function repeated({ verb, call }: OwnVerb): ConformanceCase {
  const title = `${verb} repeated with its operation id gives its outcome again and changes nothing`;
  return mustRank(`P14/repeated-${verb}`, title, async (context) => {
    const scene = await arranged(context);
    const first = await call(scene, { operationId: 'op' });
    await scene.unchanged(async () => assert.deepEqual(await call(scene, { operationId: 'op' }), first));
  });
}

function repeatedLater({ verb, call, again }: OwnVerb): ConformanceCase {
  const title = `${verb} repeated after other calls still gives its outcome and changes nothing`;
  return mustRank(`P14/repeated-later-${verb}`, title, async (context) => {
    const scene = await arranged(context);
    const first = await call(scene, { operationId: 'op' });
    await again(scene);
    await scene.unchanged(async () => assert.deepEqual(await call(scene, { operationId: 'op' }), first));
    const before = await scene.whole();
    await call(scene, { operationId: 'op 2' });
    assert.notDeepEqual(await scene.whole(), before);
  });
}

function otherVerb({ verb, call }: OwnVerb): ConformanceCase {
  const title = `${verb} with the operation id of another verb is refused and changes nothing`;
  return mustRank(`P14/other-verb-${verb}`, title, async (context) => {
    const scene = await arranged(context);
    await scene.store.markInflight(scene.hashes(['t0']), { operationId: 'op' });
    await scene.unchanged(async () => {
      await refuses(call(scene, { operationId: 'op' }), 'ERR_MEMPOOL_INVALID', { field: 'operationId' });
    });
  });
}

interface OtherCall {
  readonly name: string;
  first(scene: Scene, options: { readonly operationId: string }): Promise<unknown>;
  second(scene: Scene, options: { readonly operationId: string }): Promise<unknown>;
}

const worker = { owner: 'o', claimMs: 100 } as const;
const emptyBlock = { point: point(1), seen: [], unseen: [] } as const;

/** Calls with different arguments, made under one id. */
const otherCalls: readonly OtherCall[] = [
  {
    name: 'revisions',
    first: (scene, options) => scene.store.revise(revisionsOf(scene).slice(0, 2), options),
    second: (scene, options) => scene.store.revise(revisionsOf(scene).slice(1), options),
  },
  {
    name: 'fewer-revisions',
    first: (scene, options) => scene.store.revise(revisionsOf(scene), options),
    second: (scene, options) => scene.store.revise(revisionsOf(scene).slice(0, 2), options),
  },
  {
    name: 'limits',
    first: (scene, options) => scene.store.setLimits({ maxTxs: 7, maxBytes: 700 }, options),
    second: (scene, options) => scene.store.setLimits({ maxTxs: 7, maxBytes: 800 }, options),
  },
  {
    name: 'named-limits',
    first: (scene, options) => scene.store.setLimits({ maxTxs: 7, maxBytes: 700 }, options),
    second: (scene, options) => scene.store.setLimits({ maxTxs: 7 }, options),
  },
  {
    name: 'budget',
    first: (scene, options) => scene.store.take({ maxTxs: 2 }, { ...worker, ...options }),
    second: (scene, options) => scene.store.take({ maxTxs: 3 }, { ...worker, ...options }),
  },
  {
    name: 'owner',
    first: (scene, options) => scene.store.take({}, { ...worker, ...options }),
    second: (scene, options) => scene.store.take({}, { ...worker, owner: 'other', ...options }),
  },
  {
    name: 'claim-time',
    first: (scene, options) => scene.store.take({}, { ...worker, ...options }),
    second: (scene, options) => scene.store.take({}, { ...worker, claimMs: 200, ...options }),
  },
  {
    name: 'tags',
    first: (scene, options) => scene.store.confirm({ ...emptyBlock, provides: ['a'] }, {}, options),
    second: (scene, options) => scene.store.confirm({ ...emptyBlock, provides: ['b'] }, {}, options),
  },
];

function otherArguments({ name, first, second }: OtherCall): ConformanceCase {
  const title = `an operation id used again with other arguments (${name}) is refused and changes nothing`;
  return mustRank(`P14/other-${name}`, title, async (context) => {
    const scene = await arranged(context);
    await first(scene, { operationId: 'op' });
    await scene.unchanged(async () => {
      await refuses(second(scene, { operationId: 'op' }), 'ERR_MEMPOOL_INVALID', { field: 'operationId' });
    });
  });
}

function refusalRecorded({ id, limits, arrange, draft, refused }: (typeof refusals)[number]): ConformanceCase {
  const title = `a refusal (${id}) is an outcome: its repeat is the same, though it would be taken in now`;
  return mustRank(`P14/refusal-recorded-${id}`, title, async (context) => {
    const scene = await openScene(context, limits);
    await arrange(scene);
    const due = [{ ...refused(scene), hash: scene.hash('new') }];
    assert.deepEqual(await scene.store.receive([scene.submission('new', draft)], { operationId: 'op' }), due);
    await scene.store.flush();
    await scene.unchanged(async () => {
      assert.deepEqual(await scene.store.receive([scene.submission('new', draft)], { operationId: 'op' }), due);
    });
  });
}

/** Stage, stage before and reason of each event of a transaction. Those of places are left out. */
async function moves(scene: Scene, run: () => Promise<unknown>): Promise<unknown[]> {
  const events = await scene.eventsOf(run);
  return events.flatMap((event) => {
    if (event.kind === 'block') return [event.action];
    return event.kind === 'transaction'
      ? [[...scene.names([event]), event.previous.stage, event.stage, event.reason]]
      : [];
  });
}

const ownPools = eachRanked({
  'P14/judged-anew: a receive repeated with another verdict, peer, height and time gets its first outcome': async (
    context,
  ) => {
    const scene = await arranged(context);
    const first = await scene.store.receive([scene.submission('new', fresh)], { operationId: 'op' });
    await scene.unchanged(async () => {
      const again = { ...scene.submission('new', { priority: 5n, expiresAtHeight: 9 }), from: 'another' };
      const options = { operationId: 'op', now: startMs - 5, height: 3 };
      assert.deepEqual(await scene.store.receive([again], options), first);
    });
  },
  'P14/received-and-evicted: one that a call receives and evicts again has one event': async (context) => {
    const scene = await openScene(context, { maxTxs: 1 });
    const told = await moves(scene, async () => {
      const outcomes = await scene.addAll({ low: { priority: 1n }, high: { priority: 2n } });
      assert.deepEqual(kindsOf(outcomes), ['received', 'received']);
    });
    assert.deepEqual(told, [
      ['low', 'Unknown', 'Dropped', 'evicted'],
      ['high', 'Unknown', 'Pending', null],
    ]);
    assert.deepEqual(scene.names((await scene.store.dumpFinalized()).entries), ['low']);
  },
});

const onePool = eachOnPriorityPool({
  'P14/sweep-in-order: the events of a sweep are in seq order, whatever their reasons': async (scene) => {
    await scene.fill({
      a: { priority: 1n },
      b: { priority: 9n },
      c: { priority: 5n, expiresAtHeight: 0 },
      d: { priority: 6n },
    });
    await scene.store.take({ maxTxs: 1 }, { owner: 'o', claimMs: 1 });
    await scene.store.setLimits({ maxTxs: 2 });
    scene.clock.nowMs += 2;
    assert.deepEqual(await moves(scene, () => scene.store.sweep({ height: 1, overLimits: true })), [
      ['a', 'Pending', 'Dropped', 'evicted'],
      ['b', 'Propagated', 'Pending', null],
      ['c', 'Pending', 'Dropped', 'expired'],
    ]);
  },
  'P14/chain-in-order: the event of the block comes first, then the transactions by seq': async (scene) => {
    await scene.fill({ a: { provides: ['x'] }, b: {}, c: { provides: ['y'] } });
    assert.deepEqual(await moves(scene, () => scene.block(1, { seen: ['b'], provides: ['y', 'x'] })), [
      'applied',
      ['a', 'Pending', 'Dropped', 'conflict'],
      ['b', 'Pending', 'Confirmed', null],
      ['c', 'Pending', 'Dropped', 'conflict'],
    ]);
  },
});

export const poolOperationCases: readonly ConformanceCase[] = [
  ...ownVerbs.map(repeated),
  ...ownVerbs.map(repeatedLater),
  ...ownVerbs.map(otherVerb),
  ...otherCalls.map(otherArguments),
  ...refusals.map(refusalRecorded),
  ...ownPools,
  ...onePool,
];
