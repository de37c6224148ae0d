import assert from 'node:assert/strict';
import {
  isMempoolError,
  type MempoolErrorCode,
  type MempoolErrorDetails,
  type ReadOptions,
  type WriteOptions,
} from 'mempool-core';
import type { Call } from '../case/call.ts';
import type { TestedPool } from '../case/tested-pool.ts';
import { type Pool, point } from './pool.ts';

/** A mutating call in a pool where it has an effect. */
interface ArrangedCall {
  call(options?: WriteOptions): Promise<unknown>;
  /** After the call: changes the pool so that the same call without an id would have an effect again. */
  again(): Promise<unknown>;
}

export interface WriteVerb {
  readonly verb: Call['verb'];
  arrange(pool: Pool): Promise<ArrangedCall>;
}

export const writeVerbs: readonly WriteVerb[] = [
  {
    verb: 'receive',
    async arrange(pool) {
      const one = pool.transaction();
      const again = () => pool.store.drop([one.hash], 'invalid');
      return { call: (options) => pool.store.receive([one], options), again };
    },
  },
  {
    verb: 'markInflight',
    async arrange(pool) {
      const hash = await pool.receiveOne();
      return { call: (options) => pool.store.markInflight([hash], options), again: () => pool.release(hash) };
    },
  },
  {
    verb: 'markAcknowledged',
    async arrange(pool) {
      const hash = await pool.propagateOne();
      const again = () => pool.release(hash).then(() => pool.mark(hash));
      return { call: (options) => pool.store.markAcknowledged([hash], options), again };
    },
  },
  {
    verb: 'release',
    async arrange(pool) {
      const hash = await pool.propagateOne();
      return { call: (options) => pool.store.release([hash], options), again: () => pool.mark(hash) };
    },
  },
  {
    verb: 'drop',
    async arrange(pool) {
      const { store } = pool;
      const one = pool.transaction();
      await store.receive([one]);
      return { call: (options) => store.drop([one.hash], 'failed', options), again: () => store.receive([one]) };
    },
  },
  {
    verb: 'confirm',
    async arrange(pool) {
      const hash = await pool.receiveOne();
      await pool.block(1);
      const next = { point: point(2), parent: point(1).hash, seen: [hash], unseen: [] };
      return { call: (options) => pool.store.confirm(next, {}, options), again: () => pool.rollback(1) };
    },
  },
  {
    verb: 'rollback',
    async arrange(pool) {
      const hash = await pool.receiveOne();
      await pool.block(1);
      await pool.block(2, { seen: [hash] });
      const again = () => pool.block(2, { seen: [hash] });
      return { call: (options) => pool.store.rollback(point(1), options), again };
    },
  },
];

export interface ReadVerb {
  readonly verb: keyof TestedPool & string;
  call(store: TestedPool, hash: string, options?: ReadOptions): Promise<unknown>;
}

export const readVerbs: readonly ReadVerb[] = [
  { verb: 'hasPending', call: (store, _, options) => store.hasPending(options) },
  { verb: 'peekPending', call: (store, _, options) => store.peekPending(options) },
  { verb: 'peekInflight', call: (store, _, options) => store.peekInflight(options) },
  { verb: 'findInflight', call: (store, hash, options) => store.findInflight([hash], options) },
  { verb: 'status', call: (store, hash, options) => store.status([hash], options) },
  { verb: 'dumpFinalized', call: (store, _, options) => store.dumpFinalized(options) },
  { verb: 'subscribe', call: (store, _, options) => store.subscribe(options) },
  { verb: 'tip', call: (store, _, options) => store.tip(options) },
  { verb: 'usage', call: (store, _, options) => store.usage(options) },
];

/** The error of a promise, which must reject. */
export function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail('the call should have been refused'),
    (error: unknown) => error,
  );
}

/** The call must be refused with that code, and with these details. */
export async function refuses(
  call: Promise<unknown>,
  code: MempoolErrorCode,
  details: MempoolErrorDetails = {},
): Promise<void> {
  const error = await rejection(call);
  assert.ok(isMempoolError(error, code), `not ${code}: ${error}`);
  const told = Object.keys(details).map((name) => [name, error.details[name as keyof MempoolErrorDetails]]);
  assert.deepEqual(Object.fromEntries(told), details);
}
