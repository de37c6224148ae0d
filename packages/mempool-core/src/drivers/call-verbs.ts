import type { Awaitable, ReadContext, WriteContext } from '../contract/call-options.ts';
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

/** The writing verbs that pools of both orderings have beside those of every pool. */
export type CallVerbs = Pick<PriorityVerbs, 'take' | 'extendClaim' | 'sweep' | 'flush' | 'setLimits'>;

/** What `callVerbs` needs of a pool. */
export interface CallVerbParts {
  /** Plans a call on the current pool and stores the step. Returns the recorded outcome if the operation id is known. */
  write<T>(
    verb: string,
    given: CheckedCallTime,
    context: WriteContext,
    plan: (call: CallPlan, moment: CallMoment) => Step<T>,
  ): Awaitable<T>;
  /** How long a transaction may be in flight (L14). */
  readonly inflightTtlMs: number;
  /** The transactions under a claim, by seq. */
  claimed(claimId: string, context: ReadContext): Awaitable<TakenCandidate[]>;
}

/** Implements the verbs on core's rules. */
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

/** The time of a call that gives none. */
export const noTime: CheckedCallTime = { now: null, height: null };

/** Calls `next` at once if the answer is no promise: in memory, a wait costs as much as a whole call. */
export function after<A, B>(answer: Awaitable<A>, next: (answer: A) => Awaitable<B>): Awaitable<B> {
  return answer instanceof Promise ? answer.then(next) : next(answer);
}
