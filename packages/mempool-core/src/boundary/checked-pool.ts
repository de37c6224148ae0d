import { randomUUID } from 'node:crypto';
import type { Awaitable, WriteContext } from '../contract/call-context.ts';
import type { ReadOptions, SeqQuery, WriteOptions } from '../contract/call-options.ts';
import type { Limits } from '../contract/limits.ts';
import { clampLimit } from '../contract/page-rules.ts';
import type * as pool from '../contract/pool-verbs.ts';
import type { StoredTransaction, Transaction } from '../contract/transaction.ts';
import { checkHashes, checkLimit, maxCallTransactions } from './arguments.ts';
import { checkCount } from './basic-checks.ts';
import { unsupported } from './call-errors.ts';
import { CheckedCalls } from './checked-calls.ts';
import { checkFifoLimits } from './fifo-guard.ts';
import { checkLimits } from './open-options.ts';
import { callNames } from './option-names.ts';
import * as check from './pool-arguments.ts';
import { after, sameLimits, sameTransactions } from './repeated-operation.ts';

/** The verbs of a pool with limits, around those of the driver that its pool has. */
export class CheckedPool extends CheckedCalls implements pool.PoolVerbs {
  reap(budget: pool.Budget = {}, options?: ReadOptions): Promise<pool.Candidate[]> {
    return this.read(options, callNames.read, (context) => this.verb('reap')(check.checkBudget(budget), context));
  }

  best(query?: pool.BestQuery): Promise<pool.RankedCandidate[]> {
    return this.read(query, callNames.page, (context) => {
      const from = check.checkKey(query?.after);
      return this.verb('best')(from, clampLimit(checkLimit(query?.limit)), context);
    });
  }

  take(budget: pool.Budget, options: pool.TakeOptions): Promise<pool.Claim> {
    const run = (context: WriteContext): Awaitable<pool.Claim> => {
      const { operationId } = context;
      const given = check.checkTake(options);
      const moment = check.checkCallTime(options);
      const take = { budget: check.checkBudget(budget), claimId: operationId ?? randomUUID(), ...given };
      return this.verb('take')(take, moment, context);
    };
    return this.write(options, run, callNames.take);
  }

  sweep(options?: pool.SweepOptions): Promise<pool.Sweep> {
    return this.write(
      options,
      (context) => this.verb('sweep')(check.checkCallTime(options), context),
      callNames.moment,
    );
  }

  since(gossipSeq: number, query?: pool.GossipQuery): Promise<pool.GossipPage> {
    return this.read(query, callNames.since, (context) => {
      const limit = clampLimit(checkLimit(query?.limit));
      const checked = { ...check.checkGossip(gossipSeq, query), limit };
      if (this.ordering === 'fifo' && checked.except !== null)
        throw unsupported('a pool in order of arrival keeps no sources (except)');
      return this.verb('since')(checked, context);
    });
  }

  payloads(hashes: readonly string[], options?: ReadOptions): Promise<(Transaction | null)[]> {
    return this.read(options, callNames.read, (context) =>
      this.verb('payloads')(checkHashes('hashes', hashes, maxCallTransactions), context),
    );
  }

  peekParked(query?: SeqQuery): Promise<StoredTransaction[]> {
    return this.peek(query, (from, limit, context) => this.verb('peekParked')(from, limit, context));
  }

  stale(query: pool.StaleQuery): Promise<pool.StaleTransaction[]> {
    return this.read(query, callNames.stale, (context) => {
      const height = checkCount('height', query?.height);
      return this.verb('stale')(height, clampLimit(checkLimit(query.limit)), context);
    });
  }

  revise(revisions: readonly pool.Revision[], options?: pool.ReviseOptions): Promise<pool.ReviseOutcome[]> {
    const run = (context: WriteContext): Awaitable<pool.ReviseOutcome[]> => {
      const checked = check.checkRevisions(revisions);
      const moment = check.checkCallTime(options);
      if (checked.length === 0) return [];
      const outcomes = this.verb('revise')(checked, moment, context);
      return context.operationId === undefined ? outcomes : after(outcomes, (told) => sameTransactions(told, checked));
    };
    return this.write(options, run, callNames.moment);
  }

  flush(options?: WriteOptions): Promise<number> {
    return this.write(options, (context) => this.verb('flush')(context));
  }

  setLimits(limits: Partial<Limits>, options?: WriteOptions): Promise<Limits> {
    return this.write(options, (context) => {
      const named = checkLimits(limits);
      if (this.ordering === 'fifo') checkFifoLimits(named);
      const stored = this.verb('setLimits')(named, context);
      return context.operationId === undefined ? stored : after(stored, (told) => sameLimits(told, named));
    });
  }

  dump(options?: ReadOptions): Promise<pool.PoolDump> {
    return this.read(options, callNames.read, (context) => this.verb('dumpPool')(context));
  }
}
