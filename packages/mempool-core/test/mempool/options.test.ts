import { describe, expect, it } from 'vitest';
import type { MempoolStore } from '../../src/contract/store.ts';
import type { Transaction } from '../../src/contract/transaction.ts';
import { Mempool } from '../../src/mempool/mempool.ts';
import { scratch } from '../readme-backend.ts';

const hash = (n: number): string => n.toString(16).padStart(64, '0');
const transaction = (n: number): Transaction => ({ hash: hash(n), payload: new Uint8Array([n]), payloadType: 0 });
const block = { point: { slot: 1, hash: hash(99) }, seen: [], unseen: [] };

type Options = { operationId: string };

/** Every writing call, of one transaction and of the whole pool. */
const calls: Record<string, (pool: Mempool, options: Options) => Promise<unknown>> = {
  submit: (pool, options) => pool.submit(transaction(1), options),
  receive: (pool, options) => pool.receive([transaction(1)], options),
  'markInflight of one': (pool, options) => pool.markInflight(hash(1), options),
  'markInflight of a list': (pool, options) => pool.markInflight([hash(1)], options),
  'drop of one': (pool, options) => pool.drop(hash(1), 'why', options),
  'drop of a list': (pool, options) => pool.drop([hash(1)], 'why', options),
  confirm: (pool, options) => pool.confirm(block, {}, options),
  rollback: (pool, options) => pool.rollback(null, options),
};

/** The store, which notes the operation ids that it gets. */
function noting(store: MempoolStore, ids: unknown[]): MempoolStore {
  return new Proxy(store, {
    get(target, verb) {
      const value: unknown = Reflect.get(target, verb, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        const options = given.at(-1) as Partial<Options> | undefined;
        if (options?.operationId !== undefined) ids.push(options.operationId);
        return value.apply(target, given);
      };
    },
  });
}

describe('options that the caller changes for his next call', () => {
  it.each(Object.keys(calls))('are those of the moment of the call: %s', async (name) => {
    const ids: unknown[] = [];
    await using pool = new Mempool(noting(await scratch.open(), ids));
    const options = { operationId: 'first' };
    const called = calls[name]?.(pool, options);
    options.operationId = 'second';
    await called;
    expect(ids).toEqual(['first']);
  });

  it('are those of the moment of the call where the application’s check comes between', async () => {
    const ids: unknown[] = [];
    const validate = () => ({});
    await using pool = new Mempool(noting(await scratch.open(), ids), { validate });
    const options = { operationId: 'first' };
    const submitted = pool.submit(transaction(1), options);
    options.operationId = 'second';
    const received = pool.receive([transaction(2)], options);
    options.operationId = 'third';
    await Promise.all([submitted, received]);
    expect(ids).toEqual(['first', 'second']);
  });
});
