import { Mempool, type MempoolStore, type Submission } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { expect, it } from 'vitest';
import { block, hash, invalid, transaction } from './tap.ts';

/** A wrapper that hands other arguments on than it was given. */
function replacing(store: MempoolStore, verb: 'receive' | 'markInflight', argument: unknown): MempoolStore {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => value.apply(target, name === verb ? [argument, ...given.slice(1)] : given);
    },
  });
}

it('checks what a wrapper of the store gives in place of the arguments that the pool has checked', async () => {
  const transactions = [{ hash: 'XY', payload: new Uint8Array(1), payloadType: 0 }];
  await using received = new Mempool(replacing(await ephemeral.open(), 'receive', transactions));
  await expect(received.submit(transaction(1))).rejects.toMatchObject(invalid('transactions[0].hash'));
  await expect(received.receive([transaction(1)])).rejects.toMatchObject(invalid('transactions[0].hash'));
  await using moved = new Mempool(replacing(await ephemeral.open(), 'markInflight', ['XY']));
  await expect(moved.markInflight(hash(1))).rejects.toMatchObject(invalid('hashes[0]'));
  await expect(moved.markInflight([hash(1)])).rejects.toMatchObject(invalid('hashes[0]'));
});

it('reads no field of an argument twice, and none after the call', async () => {
  await using pool = new Mempool(await ephemeral.open({ ordering: 'priority' }));
  const reads: string[] = [];
  const counted = <T extends object>(given: T): T =>
    new Proxy(given, {
      get(target, name) {
        reads.push(String(name));
        return Reflect.get(target, name, target);
      },
    });
  const calls = [
    pool.submit(counted<Submission>({ ...transaction(1), verdict: { priority: 1n } })),
    pool.confirm(counted(block(1, 1))),
    pool.take({}, counted({ owner: 'ann', claimMs: 1_000 })),
  ];
  const atTheCall = reads.length;
  await Promise.all(calls);
  expect(reads.length).toBe(atTheCall);
  for (const field of ['hash', 'payload', 'verdict', 'point', 'seen'])
    expect(reads.filter((each) => each === field)).toHaveLength(1);
});

it.each(['fifo', 'priority'] as const)(
  'answers a repeated operation id as before through a wrapper that copies what it is given, %s',
  async (ordering) => {
    let refuses = false;
    const validate = () => (refuses ? { code: 1, log: 'no', penalize: false } : {});
    const options = { operationId: 'one' };
    await using pool = new Mempool(copying(await ephemeral.open({ ordering })), { validate });
    const told = await pool.submit(transaction(1), options);
    await pool.drop([hash(1)], 'failed');
    refuses = true;
    expect(await pool.submit(transaction(1), options)).toEqual(told);
    expect(await pool.receive([transaction(1)], options)).toEqual([told]);
    expect((await pool.usage()).pending).toBe(0);
  },
);

/** A wrapper that hands on copies. */
function copying(store: MempoolStore): MempoolStore {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'receive') return value.bind(target);
      return (list: readonly Submission[], options: object) => value.call(target, [...list], { ...options });
    },
  });
}
