import assert from 'node:assert/strict';
import type { OpenOptions, WriteOptions } from 'mempool-core';
import { poolState } from 'mempool-core/backend';
import { type Call, perform } from '../../case/call.ts';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { must, mustFifo, mustRank } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { assertSame } from '../../histories/difference.ts';
import { expectWhole, observe, observeWhole } from '../../histories/observation.ts';
import { historyOptions } from '../../histories/pool-calls.ts';
import { Model } from '../../model/model.ts';
import { someMoment } from '../../scenario/kill.ts';
import { openPool } from '../../scenario/on-pool.ts';
import { countsOf, hashesOf, never, point, timeless, transactions } from '../../scenario/pool.ts';

const rounds = 24;
const batchSize = 30;

/** Calls that prepare the pool so that a call has an effect, and that prepare it again. */
interface Round {
  readonly before: readonly Call[];
  readonly call: Call;
  readonly back: readonly Call[];
}

/** Each call is about thirty transactions, so that a partial call shows. */
function roundsOf({ random }: CaseContext): readonly [readonly string[], readonly Round[]] {
  const batch = transactions(random, batchSize);
  const hashes = hashesOf(batch);
  const lists = { seen: hashes.slice(0, 15), unseen: hashes.slice(15) };
  const receive: Call = { verb: 'receive', args: [batch] };
  const mark: Call = { verb: 'markInflight', args: [hashes] };
  const acknowledge: Call = { verb: 'markAcknowledged', args: [hashes] };
  const release: Call = { verb: 'release', args: [hashes] };
  const drop: Call = { verb: 'drop', args: [hashes, 'failed'] };
  const first: Call = { verb: 'confirm', args: [{ point: point(1), seen: [], unseen: [] }, never] };
  const second: Call = { verb: 'confirm', args: [{ point: point(2), parent: point(1).hash, ...lists }, never] };
  const back: Call = { verb: 'rollback', args: [point(1)] };
  const all: readonly Round[] = [
    { before: [], call: receive, back: [drop] },
    { before: [receive], call: mark, back: [release] },
    { before: [receive, mark], call: acknowledge, back: [release, mark] },
    { before: [receive, mark], call: release, back: [mark] },
    { before: [receive], call: drop, back: [receive] },
    { before: [receive, first, mark], call: second, back: [back, mark] },
    { before: [receive, first, mark, second], call: back, back: [mark, second] },
  ];
  return [hashes, all];
}

/** Makes the call and aborts it at a random moment. @returns whether it was carried out; if not, it rejected with the reason */
async function interrupted<T>(
  { random }: CaseContext,
  callMs: number,
  call: (options: WriteOptions) => Promise<T>,
): Promise<{ readonly value: T } | null> {
  const controller = new AbortController();
  const reason = new Error('enough');
  const calling = call({ signal: controller.signal }).then(
    (value) => ({ value }),
    (error: unknown) => {
      assert.equal(error, reason, 'an aborted call rejects with the reason of its signal');
      return null;
    },
  );
  await someMoment(random, callMs);
  controller.abort(reason);
  return calling;
}

function withOptions({ verb, args }: Call, options: WriteOptions): Call {
  const given: readonly unknown[] = args;
  return { verb, args: [...given, options] as unknown } as Call;
}

function anyMoment(verb: Call['verb']): ConformanceCase {
  const title = `${verb} that is aborted at any moment is done and answered, or rejects and has changed nothing`;
  return must(`R3/any-moment-${verb}`, title, async (context) => {
    const [hashes, all] = roundsOf(context);
    const round = all.find(({ call }) => call.verb === verb);
    assert.ok(round);
    const pool = await openPool(context, historyOptions);
    const model = new Model(historyOptions);
    const both = async (calls: readonly Call[]): Promise<void> => {
      for (const call of calls)
        assertSame(await perform(pool.store, call), await perform(model, call), 'the outcome is not the one due');
    };
    await both(round.before);
    const begin = performance.now();
    await both([round.call]);
    const callMs = performance.now() - begin;
    await both(round.back);
    for (let n = 0; n < rounds * context.effort; n++) {
      const make = (options: WriteOptions) => perform(pool.store, withOptions(round.call, options));
      const done = await interrupted(context, callMs, make);
      if (done !== null) assertSame(done.value, await perform(model, round.call), 'the outcome is not the one due');
      const answers = await Promise.all([observe(pool.store, hashes), observe(model, hashes)]);
      assertSame(
        ...timeless(answers),
        done === null ? 'a call that rejected left a trace' : 'a call that was answered is not done',
      );
      if (done !== null) await both(round.back);
    }
    // If a rejected call used up numbers, they would be missing here.
    await both(round.before.length === 0 ? [round.call] : []);
    assertSame(await observeWhole(pool.store, hashes), await expectWhole(model, hashes), 'rejected calls left a trace');
  });
}

/** A call of a verb of pools with limits, and the calls after which it has an effect again. */
interface PoolRound {
  readonly verb: 'take' | 'flush' | 'sweep' | 'setLimits' | 'revise';
  before(store: TestedPool): Promise<unknown>;
  call(store: TestedPool, options: WriteOptions): Promise<unknown>;
  back(store: TestedPool): Promise<unknown>;
}

function poolRounds(context: CaseContext, clock: { nowMs: number }): readonly PoolRound[] {
  const batch = transactions(context.random, batchSize);
  const hashes = hashesOf(batch);
  const receive = (store: TestedPool) => store.receive(batch);
  const lease = { owner: 'worker', claimMs: 10 };
  const lapse = async (store: TestedPool): Promise<void> => {
    await store.take({}, lease);
    clock.nowMs += 20;
  };
  let maxTxs = 1_000;
  let version = 1;
  return [
    {
      verb: 'take',
      before: receive,
      call: (store, options) => store.take({}, { ...lease, ...options }),
      back: (store) => store.release(hashes),
    },
    { verb: 'flush', before: receive, call: (store, options) => store.flush(options), back: receive },
    {
      verb: 'sweep',
      before: (store) => receive(store).then(() => lapse(store)),
      call: (store, options) => store.sweep(options),
      back: lapse,
    },
    {
      verb: 'setLimits',
      before: receive,
      call: (store, options) => store.setLimits({ maxTxs: maxTxs + 1 }, options),
      async back() {
        maxTxs += 1;
      },
    },
    {
      verb: 'revise',
      before: receive,
      call: (store, options) =>
        store.revise(
          hashes.map((hash) => ({ hash, version, answer: { priority: BigInt(version) } })),
          options,
        ),
      async back() {
        version += 1;
      },
    },
  ];
}

/** Everything that these verbs change: stages, events, and limits as seen by the room left. */
async function readAll(store: TestedPool): Promise<unknown> {
  const usage = await countsOf(store);
  const lists = [
    (await store.peekPending({ limit: 1_000 })).transactions,
    (await store.peekInflight({ limit: 1_000 })).transactions,
  ];
  const ranked = store.ordering === 'priority' ? await poolState(store) : null;
  return { usage, lists: lists.map(hashesOf), limits: await store.setLimits({}), ranked };
}

function anyMomentOf(verb: PoolRound['verb'], make: typeof mustFifo, options: OpenOptions): ConformanceCase {
  const title = `${verb} that is aborted at any moment is done and answered, or rejects and has changed nothing`;
  return make(`R3/any-moment-${verb}`, title, async (context) => {
    const clock = { nowMs: 1_000 };
    const pool = await openPool(context, { ...options, now: () => clock.nowMs });
    const round = poolRounds(context, clock).find((one) => one.verb === verb);
    assert.ok(round);
    await round.before(pool.store);
    const begin = performance.now();
    await round.call(pool.store, {});
    const callMs = performance.now() - begin;
    await round.back(pool.store);
    for (let n = 0; n < rounds * context.effort; n++) {
      const before = await readAll(pool.store);
      const done = await interrupted(context, callMs, (options) => round.call(pool.store, options));
      const after = await readAll(pool.store);
      if (done === null) assertSame(after, before, 'a call that rejected left a trace');
      else assert.notDeepEqual(after, before, 'a call that was answered is not done');
      if (done !== null) await round.back(pool.store);
    }
  });
}

export const interruptionCases: readonly ConformanceCase[] = [
  ...(['receive', 'markInflight', 'markAcknowledged', 'release', 'drop', 'confirm', 'rollback'] as const).map(
    anyMoment,
  ),
  ...(['take', 'flush', 'sweep', 'setLimits'] as const).map((verb) => anyMomentOf(verb, mustFifo, {})),
];

/** Cases that interrupt `revise`, a verb of priority pools alone. */
export const revisionInterruptionCases: readonly ConformanceCase[] = [
  anyMomentOf('revise', mustRank, { ordering: 'priority' }),
];
