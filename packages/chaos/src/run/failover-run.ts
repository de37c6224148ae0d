/** One run: a chain is released to nodes that suffer faults, and the result is compared with that of a single node. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Random } from 'mempool-conformance';
import { blockEntry, FailoverRecorder, hostNow } from 'mempool-conformance/failover';
import { type Mempool, openMempool, type Usage } from 'mempool-core';
import { redis } from 'mempool-redis';
import type { FedChain } from '../node/fed-chain.ts';
import { emptyBlock, openBlocks, supplyBlocks } from './block-supply.ts';
import { Cluster } from './cluster.ts';
import { Faults } from './faults.ts';
import { FenceCheck } from './fence-check.ts';
import { poolSettings, thresholds } from './pool-settings.ts';
import { Releases } from './releases.ts';
import type { Screen } from './screen.ts';
import { differences, digestOf, type PoolState, SingleNode, stateOf } from './single-node.ts';

export interface RunPlan {
  readonly url: string;
  readonly nodes: number;
  readonly ttlMs: number;
  readonly seed: number;
  /** `null`: the made-up chain. */
  readonly chunk: string | null;
  /** Between blocks. */
  readonly paceMs: number;
  /** The file that the record is written to. */
  readonly record: string;
  readonly signal: AbortSignal;
}

/** The parts that a fault plan works with. */
export interface FaultPlanParts {
  readonly cluster: Cluster;
  readonly faults: Faults;
  readonly random: Random;
  /** The pool's name, which its keys begin with. */
  readonly pool: string;
  readonly ttlMs: number;
  readonly signal: AbortSignal;
}

export interface RunEnd {
  readonly faults: number;
  readonly blocks: number;
  readonly state: PoolState;
  /** The differences to a single node and to the chain. */
  readonly differences: readonly string[];
}

const settleMs = 60_000;
/** Long enough for a slow disk: no other node can make the parent's own calls in its place. */
const patienceMs = 10_000;
const lookMs = 50;
const showMs = 250;

export async function runFailover(
  plan: RunPlan,
  faultPlan: (parts: FaultPlanParts) => Promise<void>,
  screen: Screen,
): Promise<RunEnd> {
  const blocks = await openBlocks(plan.chunk, plan.seed);
  const pool = `failover-${randomUUID().slice(0, 8)}`;
  const { url, nodes, ttlMs, record, paceMs } = plan;
  await using stack = new AsyncDisposableStack();
  const recorder = stack.adopt(new FailoverRecorder(record, 'parent'), (open) => open.close());
  recorder.write(firstEntry(plan));
  const mempool = stack.use(await openMempool({ ...poolSettings({ url, pool }), timeoutMs: patienceMs }, { redis }));
  const watching = writeBlocks(mempool, recorder);
  const fence = stack.use(await FenceCheck.open({ url, pool, ttlMs, record, recorder, mempool }));
  const single = stack.use(await SingleNode.open());
  const cluster = stack.use(await Cluster.start({ url, nodes, ttlMs, record, pool }, screen.say));
  const { chain } = cluster;
  stack.use(showing(screen, { cluster, mempool }));
  // One for each purpose, so that the chain is the same whatever the faults' timing.
  const [chance, order] = [new Random(plan.seed), new Random(plan.seed + 1)];
  const releases = new Releases({ cluster, single, random: new Random(plan.seed + 2), paceMs });
  const faults = new Faults(cluster, recorder, screen.say);

  const ended = new AbortController();
  const playing = releases.play(supplyBlocks(blocks, plan.chunk !== null, chance), ended.signal);
  const parts = { cluster, faults, random: order, pool, ttlMs, signal: plan.signal };
  await firstOf([faultPlan(parts), untilFailure(playing), aborted(plan.signal)]);
  ended.abort();
  const settled = playing.then(() => releases.settle(settlingBlocks, () => reached(mempool, chain)));
  const judged = settled.then(() => fence.callLate(emptyBlock(chain.end)));
  await firstOf([judged, aborted(plan.signal)]);

  await cluster.stop();
  const state = await stateOf(mempool, single.hashes, chain.blocks.length);
  const expected = await single.state(chain.blocks.length);
  await fence[Symbol.asyncDispose]();
  await mempool.close();
  await watching;
  recorder.write({ kind: 'final', at: hostNow(), digest: digestOf(state), expected: digestOf(expected) });
  const differ = differences(state, expected, chain.blocks.length);
  return { faults: faults.count, blocks: chain.blocks.length, state, differences: differ };
}

/** Behind these, what is in a block is final, and what is in none is dropped. */
const settlingBlocks = Math.max(thresholds.finalizeThreshold, thresholds.dropThreshold) + 1;

/** As the election has it by default: renewed three times in a ttl, two tries between renewal and end. */
function firstEntry({ ttlMs, seed }: RunPlan): Parameters<FailoverRecorder['write']>[0] {
  const renewMs = Math.floor(ttlMs / 3);
  return { kind: 'run', at: hostNow(), ttlMs, renewMs, roundTripMs: Math.floor((ttlMs - renewMs) / 2), seed };
}

/** Until the pool is closed: the events are in commit order, whoever applied the blocks. */
async function writeBlocks(mempool: Mempool, recorder: FailoverRecorder): Promise<void> {
  for await (const event of await mempool.subscribe({ after: 'origin' })) {
    const entry = blockEntry(event);
    if (entry !== null) recorder.write(entry);
  }
}

/** The pool's tip is the chain's end. */
async function reached(mempool: Mempool, chain: FedChain): Promise<void> {
  const deadline = performance.now() + settleMs;
  while (performance.now() < deadline) {
    const { point } = await mempool.tip();
    if (point?.hash === chain.end?.hash) return;
    await delay(lookMs);
  }
  const { tick } = await mempool.tip();
  throw new Error(`${settleMs / 1_000} s after the last block the pool has ${tick} of ${chain.blocks.length}`);
}

/** Rejects when the promise does, and otherwise never settles. */
function untilFailure(promise: Promise<unknown>): Promise<never> {
  return promise.then(() => new Promise<never>(() => {}));
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** The first to settle; later results of the others are ignored. */
function firstOf<T>(promises: readonly Promise<T>[]): Promise<T> {
  for (const promise of promises) promise.catch(() => {});
  return Promise.race(promises);
}

interface Shown {
  readonly cluster: Cluster;
  readonly mempool: Mempool;
}

function showing(screen: Screen, { cluster, mempool }: Shown): Disposable {
  const look = async () => {
    const [usage, { tick }] = await Promise.all([mempool.usage(), mempool.tip()]);
    const { leader, nodes, chain } = cluster;
    const rows = nodes.map((node) => {
      return { node: node.id, state: node.state, term: leader?.node === node ? leader.term : null };
    });
    screen.show({ rows, released: chain.blocks.length, applied: tick, stages: stagesOf(usage) });
  };
  // A store that is down has nothing to show.
  const timer = setInterval(() => void look().catch(() => {}), showMs);
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
      screen.end();
    },
  };
}

function stagesOf({ pending, propagated, acknowledged, confirmed, logged }: Usage): string {
  return `${pending} pending, ${propagated + acknowledged} in flight, ${confirmed} confirmed, ${logged} final`;
}
