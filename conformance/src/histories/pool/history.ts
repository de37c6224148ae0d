import type { Floor, OpenOptions, ReceiveOutcome, Sweep } from 'mempool-core';
import type { Answer } from '../../case/call.ts';
import { callAsCode } from '../../case/call.ts';
import { Random } from '../../case/random.ts';
import type { Limits } from '../../model/priority/entry.ts';
import { PoolModel } from '../../model/priority/model.ts';
import { indexesOf } from '../../scenario/priority.ts';
import { assertSame } from '../difference.ts';
import { firstFault, playHistory } from '../played.ts';
import { historyHashes } from '../pool-calls.ts';
import { type HistoryCall, HistoryClock, performCall } from './call.ts';
import { CallMaker, drainCalls, type HistoryScope } from './call-maker.ts';
import { fifoLimits, historyLimits } from './limits.ts';
import { type OpenPool, PoolNodes } from './nodes.ts';
import { assertDrained, PoolWatch } from './watch.ts';

interface Retention {
  readonly finalizeThreshold: number;
  readonly dropThreshold: number;
  readonly maxFinalized: number;
  readonly maxRollback: number;
  readonly inflightTtlMs: number;
}

/** Small, so that a few hundred calls trim the log, pass the depth of a rollback and make everything final. */
const usual: Retention = {
  finalizeThreshold: 3,
  dropThreshold: 2,
  maxFinalized: 6,
  maxRollback: 5,
  inflightTtlMs: 60,
};

/** Nothing is ever final, so that transactions get many confirmations. */
const patient: Retention = {
  ...usual,
  finalizeThreshold: Number.POSITIVE_INFINITY,
  dropThreshold: Number.POSITIVE_INFINITY,
};

export interface HistoryOptions {
  /** Equal seeds give equal histories. */
  readonly seed: number;
  /** How many calls the history has. */
  readonly steps: number;
  /** `basic`: the verbs that every fifo pool has. */
  readonly scope: HistoryScope;
  /** Opens pools. Each attempt to shorten a failing history has a pool of its own. */
  readonly open: OpenPool;
  /** Ends the history. */
  readonly signal?: AbortSignal | undefined;
  /** The longest time to shorten a failing history, in milliseconds; default 10,000. */
  readonly shortenMs?: number | undefined;
  /** The longest time to play the history, in milliseconds: a slow store is called less often. Default: as long as it takes. */
  readonly withinMs?: number | undefined;
  /** Called after every call of the whole history, with the number of calls made. */
  readonly onStep?: ((steps: number) => void) | undefined;
}

/** The calls, and the hashes that occur in them. */
export interface History {
  readonly scope: HistoryScope;
  /** The pool's thresholds and sizes. */
  readonly retention: Retention;
  readonly hashes: readonly string[];
  readonly calls: readonly HistoryCall[];
}

/**
 * Makes random calls to a pool. After each it compares outcome, events and the whole state with a model, and checks rules that need no
 * model. A shared pool is called through several nodes, and a durable one is opened again now and then. At the end it checks that a
 * drained pool keeps nothing but its log. A failing history is shortened, and reported as code with its seed.
 *
 * @throws Error with the difference and the history as code
 */
export async function checkHistory(options: HistoryOptions): Promise<void> {
  const { seed, steps, scope, signal, shortenMs } = options;
  const { calls, ...history } = await makeHistory(seed, steps, scope);
  let pools = 0;
  await playHistory(calls, {
    seed,
    signal,
    shortenMs,
    lineOf,
    faultOf: (some) => faultOf({ ...history, calls: some }, options, pools++),
  });
}

function lineOf(call: HistoryCall): string {
  switch (call.verb) {
    case 'advance':
      return `clock.advance(${call.args[0]});`;
    case 'use':
      return `store = nodes[${call.args[0]}];`;
    case 'reopen':
      return 'store = await reopened(store);';
    default:
      return callAsCode(call);
  }
}

/** Equal seeds give equal histories. The last calls drain the pool. */
export async function makeHistory(seed: number, steps: number, scope: HistoryScope): Promise<History> {
  const random = new Random(seed);
  const hashes = [...historyHashes(random), ...historyHashes(random)];
  const clock = new HistoryClock();
  const isPatient = random.below(4) === 0;
  const retention = isPatient ? patient : usual;
  const maker = new CallMaker(random, { hashes, clock, scope, isPatient });
  const model = newModel(clock, scope, retention);
  const calls: HistoryCall[] = [];
  while (calls.length < steps) {
    const call = maker.next(model);
    calls.push(call);
    await step(model, call, clock);
  }
  return { scope, retention, hashes, calls: [...calls, ...drainCalls(hashes, usual.maxFinalized, scope)] };
}

function limitsOf(scope: HistoryScope): Limits {
  return scope === 'priority' ? historyLimits : fifoLimits;
}

function newModel(clock: HistoryClock, scope: HistoryScope, retention: Retention): PoolModel {
  const ordering = scope === 'priority' ? 'priority' : 'fifo';
  return new PoolModel({ ...retention, ordering, limits: limitsOf(scope), now: clock.now });
}

function openOptions(clock: HistoryClock, scope: HistoryScope, retention: Retention): OpenOptions {
  const options: OpenOptions = { ...retention, now: clock.now };
  return scope === 'priority' ? { ...options, ...historyLimits, ordering: 'priority' } : options;
}

async function step(model: PoolModel, call: HistoryCall, clock: HistoryClock): Promise<Answer> {
  if (call.verb === 'advance') clock.advance(call.args[0]);
  return performCall(model, call);
}

/** The first call after which pool and model differ. */
async function faultOf({ scope, retention, hashes, calls }: History, options: HistoryOptions, pool: number) {
  const { open, signal, onStep, withinMs = Number.POSITIVE_INFINITY } = options;
  const end = performance.now() + withinMs;
  const clock = new HistoryClock();
  await using nodes = await PoolNodes.open(open, pool, openOptions(clock, scope, retention));
  const model = newModel(clock, scope, retention);
  const watch = await PoolWatch.start(nodes, hashes, scope, signal);
  let steps = 0;
  const fault = await firstFault(
    calls,
    async (call) => {
      if (performance.now() > end) return;
      if (call.verb === 'use') await nodes.use(call.args[0]);
      if (call.verb === 'reopen') await nodes.reopen();
      const due = await step(model, call, clock);
      const answer = await performCall(nodes.current, call);
      assertSame(answer, due, 'the outcome is not the one due');
      await watch.compare(model, call, answer);
      if (call.verb === 'flush' && call.args[0]?.operationId === 'drained')
        assertDrained(await indexesOf(nodes.current));
      onStep?.(++steps);
    },
    signal,
  );
  return fault;
}

/** How often each outcome, drop reason and error occurs in a history. A history cannot test an outcome that is missing here. */
export async function tallyOf({ calls, scope, retention }: History): Promise<ReadonlyMap<string, number>> {
  const clock = new HistoryClock();
  const model = newModel(clock, scope, retention);
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

function namesOf(call: HistoryCall, answer: Answer): string[] {
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
