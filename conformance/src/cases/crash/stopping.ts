import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { isMempoolError, type WriteOptions } from 'mempool-core';
import { type Answer, type Call, perform } from '../../case/call.ts';
import type { CaseContext, ChildProcessHandle, ConformanceCase, Need } from '../../case/case.ts';
import { mustEach, needing } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { assertSame } from '../../histories/difference.ts';
import { historyOptions } from '../../histories/pool-calls.ts';
import { Model } from '../../model/model.ts';
import { untilMs } from '../../scenario/kill.ts';
import { openPool } from '../../scenario/on-pool.ts';
import { countsOf, hashesOf, point, timeless, transactions } from '../../scenario/pool.ts';

const needs: readonly Need[] = ['shared', 'child-process'];

/** How often a process is stopped, and the most calls that it makes between two stops. */
const stops = 40;
const callsBetween = 4;
/** A store locked by the stopped process answers nobody: then the process continues, and the look does not count. */
const lockedMs = 250;

/** Any number of the transactions tells whether a call was done in part. */
type Readable = Pick<TestedPool, 'usage' | 'tip' | 'status'> | Model;

async function look(store: Readable, hashes: readonly string[]): Promise<unknown> {
  const [usage, { epoch: _, ...tip }] = [await countsOf(store), await store.tip()];
  const statuses = await store.status(hashes);
  return timeless({ usage, tip, statuses });
}

/** The results of whole calls: the state after each, by the number of events so far, and the last call's answer. */
interface Whole {
  readonly state: unknown;
  readonly call: Call | null;
  readonly answer: Answer | null;
}

async function wholes(calls: readonly Call[], hashes: readonly string[]): Promise<Map<number, Whole>> {
  const model = new Model(historyOptions);
  const found = new Map<number, Whole>();
  found.set(0, { state: await look(model, hashes), call: null, answer: null });
  for (const call of calls) {
    const answer = await perform(model, call);
    const { lastEventSeq } = model.usage();
    assert.ok(!found.has(lastEventSeq), 'every call makes an event');
    found.set(lastEventSeq, { state: await look(model, hashes), call, answer });
  }
  return found;
}

/** A state that two reads agree on while nobody writes; `null` if that takes too long, or the stopped process locks the store. */
async function still(store: TestedPool, hashes: readonly string[]): Promise<unknown> {
  const end = performance.now() + lockedMs;
  try {
    for (let last = await look(store, hashes); performance.now() < end; ) {
      const now = await look(store, hashes);
      if (isDeepStrictEqual(now, last)) return now;
      last = now;
    }
  } catch (error) {
    if (!isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE')) throw error;
  }
  return null;
}

/** As `perform`; `null` if the stopped process locked the store for longer than the call waits (X5). */
async function performed(store: TestedPool, call: Call): Promise<Answer | null> {
  const answer = await perform(store, call);
  return 'code' in answer && answer.code === 'ERR_MEMPOOL_UNAVAILABLE' ? null : answer;
}

/** `null` if a lock of the stopped process blocks it; it ends by itself once the process continues. */
async function unlessLocked<T>(work: Promise<T>): Promise<T | null> {
  const ended = new AbortController();
  const late = delay(lockedMs, null, { signal: ended.signal }).catch(() => null);
  try {
    return await Promise.race([work, late]);
  } finally {
    ended.abort();
  }
}

interface Storm {
  readonly store: TestedPool;
  readonly child: ChildProcessHandle;
  readonly hashes: readonly string[];
  readonly due: ReadonlyMap<number, Whole>;
}

/** Looks at the state that a stopped process left. @returns the reads that still run: they end when the process continues */
async function inspect({ store, hashes, due }: Storm): Promise<Promise<unknown>[]> {
  const reading = still(store, hashes);
  const found = (await unlessLocked(reading)) as { usage: { lastEventSeq: number } } | null;
  if (found === null) return [reading];
  const whole = due.get(found.usage.lastEventSeq);
  assertSame(found, whole?.state, 'the state of a process that was stopped is none that whole calls give');
  if (whole?.call == null) return [];
  const repeating = performed(store, whole.call);
  const answer = await unlessLocked(repeating);
  if (answer !== null) assertSame(answer, whole.answer, 'the call before the stop was done and not recorded');
  return [repeating];
}

async function stopAgainAndAgain(
  context: CaseContext,
  calls: readonly Call[],
  hashes: readonly string[],
): Promise<void> {
  const due = await wholes(calls, hashes);
  const pool = await openPool(context, historyOptions);
  const child = await context.fork('storm', { calls, options: historyOptions });
  await child.message();
  const last = Math.max(...due.keys());
  const begin = performance.now();
  for (let stop = 0; stop < stops * context.effort; stop++) {
    const { lastEventSeq } = await pool.store.usage();
    if (lastEventSeq === last) break;
    const done = [...due.keys()].filter((seq) => seq <= lastEventSeq).length;
    const callMs = (performance.now() - begin) / done;
    await untilMs(performance.now() + (context.random.below(1_000) / 1_000) * Math.min(callsBetween * callMs, 50));
    child.pause();
    let running: Promise<unknown>[] = [];
    try {
      running = await inspect({ store: pool.store, child, hashes, due });
    } finally {
      child.resume();
    }
    await Promise.all(running);
  }
}

function named(calls: readonly Call[]): Call[] {
  return calls.map((call, i) => {
    const options: WriteOptions = { operationId: `call ${i}` };
    const given: readonly unknown[] = call.args;
    return { verb: call.verb, args: [...given, options] as unknown } as Call;
  });
}

/** Receives and confirms a few hundred transactions of a block, so that a stop hits the middle of a call. */
function large({ random }: CaseContext): { calls: Call[]; hashes: string[] } {
  const calls: Call[] = [];
  const looked: string[] = [];
  for (let n = 1; n <= 60; n++) {
    const batch = transactions(random, 240);
    const hashes = hashesOf(batch);
    looked.push(...hashes.slice(0, 1), ...hashes.slice(-1));
    calls.push({ verb: 'receive', args: [batch] }, { verb: 'markInflight', args: [hashes] });
    const block = { point: point(n), seen: hashes.slice(0, 120), unseen: hashes.slice(120) };
    calls.push({ verb: 'confirm', args: [block, {}] });
  }
  return { calls: named(calls), hashes: looked };
}

/** Calls about one transaction each, whose records are as large as what they change. */
function small({ random }: CaseContext): { calls: Call[]; hashes: string[] } {
  const batch = transactions(random, 300);
  const calls = batch.flatMap((one): Call[] => [
    { verb: 'receive', args: [[one]] },
    { verb: 'markInflight', args: [[one.hash]] },
    { verb: 'drop', args: [[one.hash], 'failed'] },
  ]);
  return { calls: named(calls), hashes: hashesOf(batch.slice(0, 20)) };
}

export const stoppingCases: readonly ConformanceCase[] = mustEach({
  'X1/stopped-anywhere: a process stopped in large calls leaves each call whole, with its record': async (context) => {
    const { calls, hashes } = large(context);
    await stopAgainAndAgain(context, calls, hashes);
  },
  'X2/stopped-anywhere: a process stopped between small calls has recorded each with its events': async (context) => {
    const { calls, hashes } = small(context);
    await stopAgainAndAgain(context, calls, hashes);
  },
}).map(needing(...needs));
