import type { AnyStore } from 'mempool-core';
import { cursorOf } from 'mempool-core/backend';
import type { BareReads } from '../limits/limit.ts';
import type { Clock } from '../setup/clock.ts';
import { batches, freshCalls, freshTransactions, Stored } from '../setup/samples.ts';
import type { BenchSubject } from '../setup/subject.ts';
import { FilledPool, type Given } from '../workloads/pools.ts';
import { inCalls } from '../workloads/workload.ts';
import { head, inTurn, type Measure, timed } from './measure.ts';

const pageSize = 1_000;
const pagesOfRound = 10;
const found = 5_000;
const findSize = 100;

/** What reads are held against, and what must be reached. */
export interface ReadLimit {
  /** For titles: the limit of `find`, and of pages. */
  readonly names: { readonly find?: string; readonly page: string };
  readonly stored: number;
  readonly clock: Clock;
  open(): BareReads;
}

interface Pair {
  readonly pool: FilledPool;
  readonly bare: BareReads;
  readonly bareStored: Stored;
}

/** One page of `limit` behind a place: transactions were received in the order of their places, so a place is a seq or logSeq. */
type Page = (store: AnyStore, place: number, epoch: string, limit: number) => Promise<unknown>;

const pages: readonly (readonly [what: string, given: Given, page: Page])[] = [
  [
    'Pending',
    'pending',
    (store, place, epoch, limit) => store.peekPending({ after: cursorOf('page', place, epoch), limit }),
  ],
  [
    'what is in flight',
    'inflight',
    (store, place, epoch, limit) => store.peekInflight({ after: cursorOf('page', place, epoch), limit }),
  ],
  [
    'the log',
    'logged',
    (store, place, epoch, limit) => store.dumpFinalized({ cursor: cursorOf('log', place + 1, epoch), limit }),
  ],
];

/** The speed of the reads of every pool, as a part of that of a bare structure over as many rows. */
export function readGoals(subject: BenchSubject, limit: ReadLimit): Measure[] {
  const walks = pages.map(([what, given, page]): Measure => {
    const title = `walk through ${what} by ${pageSize.toLocaleString('en')} ÷ ${limit.names.page}`;
    return pairGoal(head(subject, title, ['at least', 0.5], '×', 9), subject, given, limit, (pair, round) =>
      walk(pair, page, limit, round),
    );
  });
  return limit.names.find === undefined ? walks : [findGoal(subject, limit.names.find, limit), ...walks];
}

function findGoal(subject: BenchSubject, name: string, limit: ReadLimit): Measure {
  const title = `find in flight by ${findSize} ÷ ${name}`;
  const least = Number((1 / 1.5).toFixed(3));
  return pairGoal(head(subject, title, ['at least', least], '×', 9), subject, 'inflight', limit, (pair, round) => {
    const theirs = batches(pair.bareStored.some(found), findSize);
    const ours = batches(pair.pool.stored.some(found), findSize);
    return inTurn(
      round,
      () => timed(() => inCalls(theirs, (hashes) => pair.bare.find?.(hashes)), limit.clock),
      () => timed(() => inCalls(ours, (hashes) => pair.pool.store.findInflight(hashes)), limit.clock),
    );
  });
}

async function walk({ pool, bare }: Pair, page: Page, { stored, clock }: ReadLimit, round: number): Promise<number> {
  const { epoch } = await pool.store.tip();
  const size = Math.min(pageSize, stored);
  const places = Array.from({ length: pagesOfRound }, (_, i) => (i * size) % (stored - size + 1));
  return inTurn(
    round,
    () => timed(() => inCalls(places, (place) => bare.page(place, size)), clock),
    () => timed(() => inCalls(places, (place) => page(pool.store, place, epoch, size)), clock),
  );
}

/** A measure of a filled pool and the bare structure with as many rows. */
function pairGoal(
  measure: ReturnType<typeof head>,
  subject: BenchSubject,
  given: Given,
  { stored, open }: ReadLimit,
  sample: (pair: Pair, round: number) => Promise<number>,
): Measure {
  const pool = new FilledPool(subject, stored, given);
  const bareStored = new Stored(stored);
  let bare: BareReads | null = null;
  return {
    ...measure,
    warmups: 2,
    async prepare() {
      bare = open();
      for (const transactions of freshCalls(stored, freshTransactions)) {
        await bare.fill(transactions);
        bareStored.add(transactions);
      }
      await pool.fill();
    },
    sample(round) {
      if (bare === null) throw new Error('nothing was prepared');
      return sample({ pool, bare, bareStored }, round);
    },
    async end() {
      await pool.close();
      await bare?.close();
    },
  };
}
