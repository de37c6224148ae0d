import { randomUUID } from 'node:crypto';
import { checkHashes, checkLimit, maxCallTransactions } from './arguments.ts';
import { checkArrivalLimits } from './arrival-guard.ts';
import { unsupported } from './call-guard.ts';
import { CheckedCalls } from './checked-calls.ts';
import { checkCount } from './count.ts';
import { invalid } from './errors.ts';
import { clampLimit } from './ordering.ts';
import { type Limits, namedLimits } from './priority/limits.ts';
import type * as pool from './priority/pool-verbs.ts';
import * as check from './priority/priority-arguments.ts';
import type * as store from './store.ts';
import type { StoredTransaction, Transaction } from './transaction.ts';

/** The verbs of a pool with limits, around those of the driver that its pool has. */
export class CheckedPool extends CheckedCalls implements pool.PoolVerbs {
  reap(budget: pool.Budget = {}, options?: store.ReadOptions): Promise<pool.Candidate[]> {
    return this.read(options, (context) => this.verb('reap')(check.checkBudget(budget), context));
  }

  best(query: pool.BestQuery = {}): Promise<pool.RankedCandidate[]> {
    return this.read(query, (context) => {
      const after = check.checkKey(query.after);
      return this.verb('best')(after, clampLimit(checkLimit(query.limit)), context);
    });
  }

  take(budget: pool.Budget, options: pool.TakeOptions): Promise<pool.Lot> {
    return this.write(options, (context) => {
      if (options === undefined) throw invalid('options', 'an object with owner and leaseMs');
      const leaseId = context.operationId ?? randomUUID();
      const take = { budget: check.checkBudget(budget), leaseId, ...check.checkTake(options) };
      return this.verb('take')(take, check.checkMoment(options), context);
    });
  }

  sweep(options: pool.SweepOptions = {}): Promise<pool.Sweep> {
    return this.write(options, (context) => this.verb('sweep')(check.checkMoment(options), context));
  }

  since(gossipSeq: number, query: pool.GossipQuery = {}): Promise<pool.GossipPage> {
    return this.read(query, (context) => {
      const limit = clampLimit(checkLimit(query.limit));
      const checked = { ...check.checkGossip(gossipSeq, query), limit };
      if (this.ordering === 'fifo' && checked.except !== null)
        throw unsupported('a pool in order of arrival keeps no sources (except)');
      return this.verb('since')(checked, context);
    });
  }

  payloads(hashes: readonly string[], options?: store.ReadOptions): Promise<(Transaction | null)[]> {
    return this.read(options, (context) =>
      this.verb('payloads')([...checkHashes('hashes', hashes, maxCallTransactions)], context),
    );
  }

  peekParked(query: store.SeqQuery = {}): Promise<StoredTransaction[]> {
    return this.peek(query, (after, limit, context) => this.verb('peekParked')(after, limit, context));
  }

  stale(query: pool.StaleQuery): Promise<pool.StaleTransaction[]> {
    return this.read(query, (context) => {
      const height = checkCount('height', query?.height);
      return this.verb('stale')(height, clampLimit(checkLimit(query.limit)), context);
    });
  }

  revise(revisions: readonly pool.Revision[], options: pool.ReviseOptions = {}): Promise<pool.ReviseOutcome[]> {
    return this.write(options, (context) => {
      const checked = check.checkRevisions(revisions);
      const moment = check.checkMoment(options);
      return checked.length === 0 ? [] : this.verb('revise')(checked, moment, context);
    });
  }

  flush(options?: store.WriteOptions): Promise<number> {
    return this.write(options, (context) => this.verb('flush')(context));
  }

  setLimits(limits: Partial<Limits>, options?: store.WriteOptions): Promise<Limits> {
    return this.write(options, (context) => {
      if (typeof limits !== 'object' || limits === null) throw invalid('limits', 'an object');
      const named = namedLimits(limits);
      if (this.ordering === 'fifo') checkArrivalLimits(named);
      return this.verb('setLimits')(named, context);
    });
  }

  dump(options?: store.ReadOptions): Promise<pool.PoolDump> {
    return this.read(options, (context) => this.verb('dumpPool')(context));
  }
}
