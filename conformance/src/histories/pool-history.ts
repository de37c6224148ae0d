import type { MempoolStore, OpenOptions } from 'mempool-core';
import { type Call, callAsCode, perform } from '../case/call.ts';
import { Model, type ModelOptions } from '../model/model.ts';
import { assertSame } from './difference.ts';
import { eventsToCompare, nextEvents, Observer, observe } from './observation.ts';
import { makeHistory, type Universe } from './pool-calls.ts';
import { HistoryClock } from './priority/call.ts';
import { shortest } from './shrink.ts';

/** Options of a small pool, so that a few hundred calls trim the log, exceed the depth of a rollback and make transactions final. */
export const historyOptions: ModelOptions & OpenOptions = {
  finalizeThreshold: 3,
  dropThreshold: 2,
  maxFinalized: 6,
  maxRollback: 5,
};

export interface HistoryOptions {
  readonly seed: number;
  readonly steps: number;
  /** Opens a new, empty pool with the given options. It is called again for every attempt to shorten a failing history. */
  readonly open: (options: OpenOptions) => Promise<MempoolStore>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes random calls. After each it compares outcome, events and everything that can be read with a model. A failing history is
 * shortened, and reported as code with its seed.
 *
 * @throws Error with the difference and the history as code
 */
export async function checkHistory({ seed, steps, open, signal }: HistoryOptions): Promise<void> {
  const universe = await makeHistory(seed, steps, historyOptions);
  const fault = await faultOf(universe, universe.calls, open, signal);
  if (fault === null) return;
  const fails = async (calls: readonly Call[]): Promise<boolean> =>
    (await faultOf(universe, calls, open, signal)) !== null;
  const calls = await shortest(universe.calls.slice(0, fault.at + 1), fails, signal);
  const { error } = (await faultOf(universe, calls, open, signal)) ?? fault;
  const story = calls.map(callAsCode).join('\n');
  throw new Error(`${error.message}\n\nThe last call of this history is the wrong one (seed ${seed}):\n${story}`, {
    cause: error,
  });
}

interface Fault {
  /** Index of the call. */
  readonly at: number;
  readonly error: Error;
}

/** The first call after which store and model differ. */
async function faultOf(
  universe: Universe,
  calls: readonly Call[],
  open: HistoryOptions['open'],
  signal: AbortSignal | undefined,
): Promise<Fault | null> {
  const clock = new HistoryClock();
  await using store = await open({ ...historyOptions, now: clock.now });
  const model = new Model({ ...historyOptions, now: clock.now });
  const observer = await Observer.start(store, universe.hashes, signal);
  for (const [at, call] of calls.entries()) {
    // Now and then the clock goes back (E5).
    clock.advance(((at * 7) % 5) - 1);
    try {
      assertSame(await perform(store, call), await perform(model, call), 'the outcome is not the one due');
      await observer.compare(model);
    } catch (error) {
      if (signal?.aborted) throw error;
      return { at, error: error instanceof Error ? error : new Error(String(error)) };
    }
  }
  return null;
}

/** After every so many calls a transcript has everything that can be read, and a new stream of the events. */
const pageEvery = 20;

/**
 * The answers and events of each call of a history and, from time to time, everything that can be read. Two stores that keep
 * the contract give the same lines.
 */
export async function* transcript(store: MempoolStore, { hashes, calls }: Universe): AsyncGenerator<string, undefined> {
  let [seen, after] = [0, 'origin'];
  let stream = (await store.subscribe({ after }))[Symbol.asyncIterator]();
  for (const [i, call] of calls.entries()) {
    const isPage = i % pageEvery === 0;
    if (isPage) {
      await stream.return?.();
      stream = (await store.subscribe({ after }))[Symbol.asyncIterator]();
    }
    const answer = await perform(store, call);
    const { lastEventSeq, cursors } = await store.usage();
    const events = await nextEvents(stream, lastEventSeq - seen);
    [seen, after] = [lastEventSeq, cursors.events];
    const pages = isPage ? await observe(store, hashes) : {};
    yield JSON.stringify({ call: callAsCode(call), answer, events: eventsToCompare(events), pages }, inKeyOrder);
  }
  await stream.return?.();
}

/** Each store has its own clock. Which went out first depends on it too. */
const times: ReadonlySet<string> = new Set(['at', 'receivedAt', 'oldestInflight']);

/** Stores may give the same fields in another order. */
function inKeyOrder(name: string, value: unknown): unknown {
  if (times.has(name)) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
