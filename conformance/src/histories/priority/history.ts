import type { Floor, MempoolStore, OpenOptions, ReceiveOutcome, Sweep } from 'mempool-core';
import { anyStore } from 'mempool-core/backend';
import { type Answer, callAsCode } from '../../case/call.ts';
import { Random } from '../../case/random.ts';
import { PriorityModel } from '../../model/priority/model.ts';
import { indexesOf } from '../../scenario/priority.ts';
import { assertSame } from '../difference.ts';
import { historyHashes } from '../pool-calls.ts';
import { shortest } from '../shrink.ts';
import { HistoryClock, type PriorityCall, performPriority } from './call.ts';
import { drainCalls, historyLimits, PriorityCallMaker } from './call-maker.ts';
import { assertDrained, PriorityWatch } from './watch.ts';

/** Small, so that a few hundred calls trim the log, pass the depth of a rollback and make everything final. */
const retention = {
  finalizeThreshold: 3,
  dropThreshold: 2,
  maxFinalized: 6,
  maxRollback: 5,
  inflightTtlMs: 60,
} as const;

/** A failed history is reported with at most this many calls. */
const maxTold = 200;

export interface PriorityHistoryOptions {
  readonly seed: number;
  readonly steps: number;
  /** Opens a new, empty priority pool with the given options. It is called again for every attempt to shorten a failing history. */
  readonly open: (options: OpenOptions) => Promise<MempoolStore>;
  readonly signal?: AbortSignal | undefined;
  /** The longest time to shorten a failing history, in milliseconds; default 20,000. */
  readonly shortenMs?: number | undefined;
  /** Called after every call of the whole history, with the number of calls made. */
  readonly onStep?: ((steps: number) => void) | undefined;
}

/** The calls, and the hashes that occur in them. */
export interface PriorityHistory {
  readonly hashes: readonly string[];
  readonly calls: readonly PriorityCall[];
}

/**
 * Makes random calls to a priority pool. After each it compares outcome, events and the whole state with a model, and checks
 * rules that need no model. At the end it checks that a drained pool keeps nothing but its log. A failing history is shortened, and
 * reported as code with its seed.
 *
 * @throws Error with the difference and the history as code
 */
export async function checkPriorityHistory(options: PriorityHistoryOptions): Promise<void> {
  const { seed, steps } = options;
  const history = await makePriorityHistory(seed, steps);
  const fault = await faultOf(history, options);
  if (fault === null) return;
  const failing = { ...history, calls: history.calls.slice(0, fault.at + 1) };
  const { calls, error } = await shortened(failing, fault, options);
  const left = calls.length > maxTold ? [`// ${calls.length - maxTold} calls before these`] : [];
  const story = [...left, ...calls.slice(-maxTold).map(callLine)].join('\n');
  throw new Error(`${error.message}\n\nThe last call of this history is the wrong one (seed ${seed}):\n${story}`, {
    cause: error,
  });
}

/** The shortest failing history found within the time limit. */
async function shortened(
  failing: PriorityHistory,
  { error }: Fault,
  options: PriorityHistoryOptions,
): Promise<{ readonly calls: readonly PriorityCall[]; readonly error: Error }> {
  const attempt = { ...options, onStep: undefined };
  const limit = AbortSignal.timeout(options.shortenMs ?? 20_000);
  const found = { calls: failing.calls, error };
  const fails = async (calls: readonly PriorityCall[]): Promise<boolean> => {
    const fault = await faultOf({ ...failing, calls }, attempt);
    if (fault !== null) Object.assign(found, { calls: calls.slice(0, fault.at + 1), error: fault.error });
    return fault !== null;
  };
  await shortest(failing.calls, fails, options.signal === undefined ? limit : AbortSignal.any([limit, options.signal]));
  return found;
}

function callLine(call: PriorityCall): string {
  return call.verb === 'advance' ? `clock.advance(${call.args[0]});` : callAsCode(call);
}

/** Equal seeds give equal histories. The last calls drain the pool. */
export async function makePriorityHistory(seed: number, steps: number): Promise<PriorityHistory> {
  const random = new Random(seed);
  const hashes = [...historyHashes(random), ...historyHashes(random)];
  const clock = new HistoryClock();
  const maker = new PriorityCallMaker(random, hashes, clock);
  const model = newModel(clock);
  const calls: PriorityCall[] = [];
  while (calls.length < steps) {
    const call = maker.next(model);
    calls.push(call);
    await step(model, call, clock);
  }
  return { hashes, calls: [...calls, ...drainCalls(hashes, retention.maxFinalized)] };
}

function newModel(clock: HistoryClock): PriorityModel {
  return new PriorityModel({ ...retention, limits: historyLimits, now: clock.now });
}

async function step(model: PriorityModel, call: PriorityCall, clock: HistoryClock): Promise<Answer> {
  if (call.verb === 'advance') clock.advance(call.args[0]);
  return performPriority(model, call);
}

interface Fault {
  /** Index of the call. */
  readonly at: number;
  readonly error: Error;
}

/** The first call after which store and model differ. */
async function faultOf({ hashes, calls }: PriorityHistory, options: PriorityHistoryOptions): Promise<Fault | null> {
  const { open, signal, onStep } = options;
  const clock = new HistoryClock();
  await using store = anyStore(await open({ ...retention, ...historyLimits, ordering: 'priority', now: clock.now }));
  const model = newModel(clock);
  const watch = await PriorityWatch.start(store, hashes, signal);
  for (const [at, call] of calls.entries()) {
    try {
      const due = await step(model, call, clock);
      const answer = await performPriority(store, call);
      assertSame(answer, due, 'the outcome is not the one due');
      await watch.compare(model, call, answer);
      if (call.verb === 'flush' && call.args[0]?.operationId === 'drained') assertDrained(await indexesOf(store));
      onStep?.(at + 1);
    } catch (error) {
      if (signal?.aborted) throw error;
      return { at, error: error instanceof Error ? error : new Error(String(error)) };
    }
  }
  return null;
}

/** How often each outcome, drop reason and error occurs in a history. A history cannot test an outcome that is missing here. */
export async function tallyOf({ calls }: PriorityHistory): Promise<ReadonlyMap<string, number>> {
  const clock = new HistoryClock();
  const model = newModel(clock);
  const tally = new Map<string, number>();
  const count = (name: string): void => void tally.set(name, (tally.get(name) ?? 0) + 1);
  for (const call of calls) {
    const { length } = model.eventsAfter(0);
    const answer = await step(model, call, clock);
    for (const name of namesOf(call, answer)) count(`${call.verb} ${name}`);
    for (const event of model.eventsAfter(length)) {
      if (event.kind === 'transaction') count(`${event.stage} ${event.cause}`);
    }
  }
  return tally;
}

function namesOf(call: PriorityCall, answer: Answer): string[] {
  if ('code' in answer) return [answer.code];
  const { value } = answer;
  if (Array.isArray(value)) return value.map(nameOf);
  if (call.verb === 'sweep') {
    const { returned, woken, expired, evicted } = value as Sweep;
    return Object.entries({ returned, woken, expired, evicted }).flatMap(([name, hashes]) =>
      hashes.length > 0 ? [name] : [],
    );
  }
  return [nameOf(value)];
}

function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return 'moved';
  const { kind, limit, parked, floor, stage } = value as Partial<Record<string, unknown>>;
  if (kind === 'limit') return `limit ${limit}`;
  if (kind === 'full') return (floor as Floor).kind === 'closed' ? 'full and closed' : 'full';
  if (kind === 'received') return `received ${parked === true ? 'parked' : stage}`;
  return String(kind as ReceiveOutcome['kind']);
}
