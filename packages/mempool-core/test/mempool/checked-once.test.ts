import { Mempool, type Submission } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { expect, it } from 'vitest';
import { block, transaction } from './tap.ts';

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
