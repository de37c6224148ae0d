import assert from 'node:assert/strict';
import type { MempoolStore, ReadOptions, WriteOptions } from 'mempool-core';
import type { CaseContext } from '../case/case.ts';
import { block, point, propagateOne, receiveOne, transaction } from './pool.ts';

/** A mutating call in a pool where it has an effect. */
interface ArrangedCall {
  call(options?: WriteOptions): Promise<unknown>;
  /** After the call: changes the pool so that the same call without an id would have an effect again. */
  again(): Promise<unknown>;
}

export interface WriteVerb {
  readonly verb: 'receive' | 'markInflight' | 'markAcknowledged' | 'release' | 'drop' | 'confirm' | 'rollback';
  arrange(context: CaseContext, store: MempoolStore): Promise<ArrangedCall>;
}

export const writeVerbs: readonly WriteVerb[] = [
  {
    verb: 'receive',
    async arrange({ random }, store) {
      const one = transaction(random);
      const again = () => store.drop([one.hash], 'invalid');
      return { call: (options) => store.receive([one], options), again };
    },
  },
  {
    verb: 'markInflight',
    async arrange(context, store) {
      const hash = await receiveOne(context, store);
      return { call: (options) => store.markInflight([hash], options), again: () => store.release([hash]) };
    },
  },
  {
    verb: 'markAcknowledged',
    async arrange(context, store) {
      const hash = await propagateOne(context, store);
      const again = () => store.release([hash]).then(() => store.markInflight([hash]));
      return { call: (options) => store.markAcknowledged([hash], options), again };
    },
  },
  {
    verb: 'release',
    async arrange(context, store) {
      const hash = await propagateOne(context, store);
      return { call: (options) => store.release([hash], options), again: () => store.markInflight([hash]) };
    },
  },
  {
    verb: 'drop',
    async arrange({ random }, store) {
      const one = transaction(random);
      await store.receive([one]);
      return { call: (options) => store.drop([one.hash], 'failed', options), again: () => store.receive([one]) };
    },
  },
  {
    verb: 'confirm',
    async arrange(context, store) {
      const hash = await receiveOne(context, store);
      await block(store, 1);
      const next = { point: point(2), parent: point(1).hash, seen: [hash], unseen: [] };
      return { call: (options) => store.confirm(next, {}, options), again: () => store.rollback(point(1)) };
    },
  },
  {
    verb: 'rollback',
    async arrange(context, store) {
      const hash = await receiveOne(context, store);
      await block(store, 1);
      await block(store, 2, { seen: [hash] });
      return { call: (options) => store.rollback(point(1), options), again: () => block(store, 2, { seen: [hash] }) };
    },
  },
];

export interface ReadVerb {
  readonly verb: keyof MempoolStore & string;
  call(store: MempoolStore, hash: string, options?: ReadOptions): Promise<unknown>;
}

export const readVerbs: readonly ReadVerb[] = [
  { verb: 'hasPending', call: (store, _, options) => store.hasPending(options) },
  { verb: 'peekPending', call: (store, _, options) => store.peekPending(options) },
  { verb: 'peekInflight', call: (store, _, options) => store.peekInflight(options) },
  { verb: 'findInflight', call: (store, hash, options) => store.findInflight([hash], options) },
  { verb: 'checkStatus', call: (store, hash, options) => store.checkStatus([hash], options) },
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
