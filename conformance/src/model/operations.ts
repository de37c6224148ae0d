import { type Block, MempoolError, type Policy, type Submission } from 'mempool-core';

/** What an operation id is bound to: the verb, and the arguments that a repeat must give again (X2). */
export interface BoundCall {
  readonly id: string | undefined;
  readonly verb: string;
  readonly args: readonly unknown[];
}

/** The calls with an id, as text, and their outcomes. */
export type Operations = Map<string, { readonly call: string; readonly outcome: unknown }>;

/** The outcome of the first call with the id; `null` if there was none. @throws MempoolError if that was another call */
export function recorded<T>(operations: Operations, call: BoundCall): { readonly outcome: T } | null {
  const record = call.id === undefined ? undefined : operations.get(call.id);
  if (record === undefined) return null;
  if (record.call !== textOf(call))
    throw new MempoolError('ERR_MEMPOOL_INVALID', 'this operation id had another verb or other arguments');
  return { outcome: structuredClone(record.outcome) as T };
}

export function record(operations: Operations, call: BoundCall, outcome: unknown): void {
  if (call.id !== undefined) operations.set(call.id, { call: textOf(call), outcome: structuredClone(outcome) });
}

function textOf({ verb, args }: BoundCall): string {
  return JSON.stringify([verb, ...args], (_, value) => {
    if (value === Number.POSITIVE_INFINITY) return 'never';
    return typeof value === 'bigint' ? `${value}n` : value;
  });
}

/** Neither verdict nor sending peer. */
export function bodiesOf(transactions: readonly Submission[]): unknown[] {
  return transactions.map(({ hash, payload, payloadType = 0 }) => [
    hash,
    Buffer.from(payload).toString('hex'),
    payloadType,
  ]);
}

export function blockArguments({ point, parent, seen, unseen = [], provides = [] }: Block, policy: Policy): unknown[] {
  const carried = new Set(seen);
  const lists = [carried, new Set(unseen).difference(carried), new Set(provides)].map((list) => [...list]);
  return [point.slot, point.hash, parent ?? null, lists, policy.finalizeThreshold, policy.dropThreshold];
}

/** A `receive` of nothing is not recorded. @throws MempoolError if its id was that of another call */
export function receivedNothing(
  operations: Operations,
  options: { readonly operationId?: string | undefined } = {},
): [] {
  recorded(operations, { id: options.operationId, verb: 'receive', args: [] });
  return [];
}
