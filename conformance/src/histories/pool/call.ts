import { isMempoolError } from 'mempool-core';
import type { Answer } from '../../case/call.ts';
import type { TestedPool } from '../../case/tested-pool.ts';

type HistoryVerb =
  | 'receive'
  | 'markInflight'
  | 'markAcknowledged'
  | 'complete'
  | 'release'
  | 'drop'
  | 'confirm'
  | 'rollback'
  | 'take'
  | 'extendClaim'
  | 'sweep'
  | 'revise'
  | 'flush'
  | 'dropBySender'
  | 'setLimits';

/** A step that calls no verb: a change of the clock that all nodes share, another node for the next calls, or a new open of the node. */
export type HistoryMove =
  | { readonly verb: 'advance'; readonly args: readonly [ms: number] }
  | { readonly verb: 'use'; readonly args: readonly [node: number] }
  | { readonly verb: 'reopen'; readonly args: readonly [] };

/** One step of a history as data: mostly a call of a mutating verb. */
export type HistoryCall =
  | { [V in HistoryVerb]: { readonly verb: V; readonly args: Parameters<TestedPool[V]> } }[HistoryVerb]
  | HistoryMove;

/** The verbs that change a pool: of a store, or of the model, which answers at once. */
export type HistoryCallable = {
  [V in HistoryVerb]: (
    ...args: Parameters<TestedPool[V]>
  ) => ReturnType<TestedPool[V]> | Awaited<ReturnType<TestedPool[V]>>;
};

/** The clock of a history. It stands still between calls. */
export class HistoryClock {
  /** A time in 2026. */
  nowMs = 1_780_000_000_000;

  readonly now = (): number => this.nowMs;

  advance(ms: number): void {
    this.nowMs += ms;
  }
}

/** Makes the call. A `MempoolError` becomes an answer, except `ERR_MEMPOOL_INTERNAL`; any other error is thrown. The caller moves the clock. */
export async function performCall(target: HistoryCallable, call: HistoryCall): Promise<Answer> {
  if (call.verb === 'advance' || call.verb === 'use' || call.verb === 'reopen') return { value: null };
  try {
    const verb = target[call.verb] as (...args: readonly unknown[]) => unknown;
    return { value: await verb.apply(target, call.args) };
  } catch (error) {
    if (!isMempoolError(error) || error.code === 'ERR_MEMPOOL_INTERNAL') throw error;
    return { code: error.code };
  }
}
