import { setTimeout as sleep } from 'node:timers/promises';
import { isMempoolError, type Mempool } from 'mempool-core';
import type { DemoChain } from './demo-chain.ts';
import { type DemoAction, DemoWorld, demoBlock } from './demo-world.ts';

/** Steps that are done at once, so that there is something to see. */
const headStart = 100;

/** Options of `runTraffic`. */
export interface TrafficOptions {
  readonly seed: number;
  readonly stepMs: number;
  readonly signal: AbortSignal;
}

/** Runs the demo's transactions and blocks. Rejects with the signal's reason after an abort. */
export async function runTraffic(
  pool: Mempool,
  chain: DemoChain,
  { seed, stepMs, signal }: TrafficOptions,
): Promise<never> {
  const { point } = await pool.tip();
  chain.begin(point);
  const world = new DemoWorld(seed, point?.hash ?? '');
  world.adopt({ pending: await hashes(pool.pending({ signal })), inflight: await hashes(pool.inflight({ signal })) });
  for (let step = 1; ; step += 1) {
    for (const [i, action] of world.next().entries()) {
      signal.throwIfAborted();
      await act(action, { pool, chain, turn: `${seed}/${step}/${i}` });
    }
    if (step > headStart) await sleep(stepMs, undefined, { signal });
  }
}

async function hashes(walk: AsyncIterable<{ readonly hash: string }>): Promise<string[]> {
  const found: string[] = [];
  for await (const { hash } of walk) found.push(hash);
  return found;
}

interface Stage {
  readonly pool: Mempool;
  readonly chain: DemoChain;
  /** The unique id of the action. */
  readonly turn: string;
}

/** A store that is busy or away for a moment loses the demo one action. */
async function act(action: DemoAction, stage: Stage): Promise<void> {
  try {
    await perform(action, stage);
  } catch (error) {
    if (!isMempoolError(error) || !error.retryable) throw error;
  }
}

async function perform(action: DemoAction, { pool, chain, turn }: Stage): Promise<unknown> {
  switch (action.kind) {
    case 'submit':
      return pool.receive(action.transactions);
    case 'send':
      return pool.markInflight(action.hashes);
    case 'acknowledge':
      return pool.markAcknowledged(action.hashes);
    case 'release':
      return pool.release(action.hashes);
    case 'drop':
      return pool.drop(action.hashes, action.reason);
    case 'block':
      return chain.extend(demoBlock(chain.tip, action.seen, turn));
    case 'fork':
      return chain.undo(action.depth);
  }
}
