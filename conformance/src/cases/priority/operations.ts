import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { apart, eachRanked, eachRow } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { startMs } from '../../scenario/on-pool.ts';
import { point } from '../../scenario/pool.ts';
import { ladder, openScene, type Scene } from '../../scenario/priority.ts';
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

function revisionsOf(scene: Scene): Parameters<TestedPool['revise']>[0] {
  const answers = [{ priority: 7n }, { code: 1, log: 'no', penalize: true }, { gas: 3 }];
  return answers.map((answer, i) => ({ hash: scene.hash(`t${i}`), version: i === 2 ? 5 : 1, answer }));
}

async function arranged(context: Parameters<ConformanceCase['run']>[0]): Promise<Scene> {
  const scene = await openScene(context);
  await scene.fill({ ...ladder([1, 2, 3]), old: { expiresAt: startMs - 1 } });
  return scene;
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

const ownPools = eachRanked({
  'P14/repeated: a call repeated with its operation id gives its outcome again and changes nothing': (context) =>
    eachRow(
      ownVerbs,
      ({ verb }) => verb,
      async ({ call, again }) => {
        const scene = await arranged(apart(context));
        const first = await call(scene, { operationId: 'op' });
        await scene.unchanged(async () => assert.deepEqual(await call(scene, { operationId: 'op' }), first));
        await again(scene);
        await scene.unchanged(async () => assert.deepEqual(await call(scene, { operationId: 'op' }), first));
      },
    ),
  'P14/other: an operation id used again with other arguments or another verb is refused and changes nothing': async (
    context,
  ) => {
    await eachRow(
      otherCalls,
      ({ name }) => name,
      async ({ first, second }) => {
        const scene = await arranged(apart(context));
        await first(scene, { operationId: 'op' });
        await scene.unchanged(() =>
          refuses(second(scene, { operationId: 'op' }), 'ERR_MEMPOOL_INVALID', { field: 'operationId' }),
        );
      },
    );
    const scene = await arranged(context);
    await scene.store.markInflight(scene.hashes(['t0']), { operationId: 'op' });
    await eachRow(
      ownVerbs,
      ({ verb }) => verb,
      ({ call }) =>
        scene.unchanged(() =>
          refuses(call(scene, { operationId: 'op' }), 'ERR_MEMPOOL_INVALID', { field: 'operationId' }),
        ),
    );
  },
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
});

export const poolOperationCases: readonly ConformanceCase[] = ownPools;
