import { type Awaitable, after, type ReadContext, type WriteContext } from '../contract/call-options.ts';
import type { CheckedCallTime, PriorityVerbs } from '../contract/pool-driver.ts';
import type { Claim, TakenCandidate } from '../contract/pool-verbs.ts';
import {
  type CallMoment,
  type CallPlan,
  extendStep,
  flushStep,
  limitsStep,
  sweepStep,
  takeStep,
} from '../rules/call-plan.ts';
import type { Step } from '../rules/step.ts';

/** The optional writing verbs that pools of both orderings may have. */
export type CallVerbs = Pick<PriorityVerbs, 'take' | 'extendClaim' | 'sweep' | 'flush' | 'setLimits'>;

/** The parts of a pool that `callVerbs` needs. */
export interface CallVerbParts {
  /** Plans a call on the current pool and stores the step. Returns the recorded outcome if the operation id is known. */
  write<T>(
    verb: string,
    given: CheckedCallTime,
    context: WriteContext,
    plan: (call: CallPlan, moment: CallMoment) => Step<T>,
  ): Awaitable<T>;
  /** How long a transaction may be in flight, in milliseconds (L14). */
  readonly inflightTtlMs: number;
  /** Returns the transactions under a claim, by seq. */
  claimed(claimId: string, context: ReadContext): Awaitable<TakenCandidate[]>;
}

/** Returns the verbs, implemented by core's rules. */
export function callVerbs({ write, inflightTtlMs, claimed }: CallVerbParts): CallVerbs {
  return {
    take(take, given, context) {
      const taken = write('take', given, context, (call, { nowMs }) => takeStep(call, take, nowMs));
      // The recorded outcome has no transactions. A repeated call gets what is still under the claim (P8).
      return after(taken, (claim) =>
        'transactions' in claim
          ? claim
          : after(claimed(take.claimId, context), (transactions) => ({
              ...(claim as Omit<Claim, 'transactions'>),
              transactions,
            })),
      );
    },
    extendClaim: (extension, given, context) =>
      write('extendClaim', given, context, (call, { nowMs }) => extendStep(call, extension, nowMs)),
    sweep: (sweep, context) =>
      write('sweep', sweep, context, (call, moment) => sweepStep(call, moment, { ...sweep, inflightTtlMs })),
    flush: (context) => write('flush', noTime, context, flushStep),
    setLimits: (limits, context) => write('setLimits', noTime, context, (call) => limitsStep(call, limits)),
  };
}

/** The time of a call whose caller gave none. */
export const noTime: CheckedCallTime = { now: null, height: null };
