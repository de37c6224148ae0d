import { never } from './policy.ts';
import { batches, freshPoint } from './sample.ts';
import type { BarePool, BenchPool, Turn, Workload } from './workload.ts';

const perBlock = 100;
const perTurn = 1_000;

export function bareUpdate({ bare, stored }: BarePool, wanted: number, size: number, unit: number): Turn {
  const hashes = stored.some(wanted);
  const calls = batches(hashes, size);
  return {
    count: hashes.length / unit,
    async run() {
      for (const call of calls) {
        const done = bare.update(call);
        if (done instanceof Promise) await done;
      }
    },
  };
}

/** An empty block behind what is in flight: a rollback to it touches nothing but what came after. */
export async function seal({ store }: BenchPool): Promise<void> {
  await store.confirm({ point: freshPoint(), seen: [], unseen: [] }, never);
}

async function markAgain(pool: BenchPool, hashes: readonly string[]): Promise<void> {
  await pool.store.markInflight(hashes);
  await seal(pool);
}

export async function confirmAll({ store }: BenchPool, blocks: readonly string[][]): Promise<void> {
  for (const seen of blocks) await store.confirm({ point: freshPoint(), seen, unseen: [] }, never);
}

export async function sealed({ store }: BenchPool) {
  return (await store.tip()).point;
}

const mark: Workload = {
  id: 'mark-inflight',
  title: 'in flight by 100',
  per: 'transaction',
  given: 'pending',
  ours({ store, stored }) {
    const hashes = stored.some(perTurn);
    return {
      count: hashes.length,
      async run() {
        for (const call of batches(hashes, 100)) await store.markInflight(call);
      },
      undo: () => store.release(hashes),
    };
  },
  limit: (pool) => bareUpdate(pool, perTurn, 100, 1),
};

const acknowledge: Workload = {
  id: 'acknowledge',
  title: 'acknowledge by 100',
  per: 'transaction',
  given: 'inflight',
  ours(pool) {
    const hashes = pool.stored.some(perTurn);
    return {
      count: hashes.length,
      async run() {
        for (const call of batches(hashes, 100)) await pool.store.markAcknowledged(call);
      },
      async undo() {
        await pool.store.release(hashes);
        await markAgain(pool, hashes);
      },
    };
  },
  limit: (pool) => bareUpdate(pool, perTurn, 100, 1),
};

const release: Workload = {
  id: 'release',
  title: 'release by 100',
  per: 'transaction',
  given: 'inflight',
  ours(pool) {
    const hashes = pool.stored.some(perTurn);
    return {
      count: hashes.length,
      async run() {
        for (const call of batches(hashes, 100)) await pool.store.release(call);
      },
      undo: () => markAgain(pool, hashes),
    };
  },
  limit: (pool) => bareUpdate(pool, perTurn, 100, 1),
};

const confirm: Workload = {
  id: 'confirm',
  title: 'confirm a block of 100',
  per: 'block',
  given: 'inflight',
  async ours(pool) {
    const hashes = pool.stored.some(perTurn);
    const before = await sealed(pool);
    return {
      count: hashes.length / perBlock,
      run: () => confirmAll(pool, batches(hashes, perBlock)),
      async undo() {
        await pool.store.rollback(before);
        await markAgain(pool, hashes);
      },
    };
  },
  limit: (pool) => bareUpdate(pool, perTurn, perBlock, perBlock),
};

const undone = 6;

const rollback: Workload = {
  id: 'rollback',
  title: `roll back ${undone} blocks of 100`,
  per: 'rollback',
  given: 'inflight',
  async ours(pool) {
    const hashes = pool.stored.some(undone * perBlock);
    const before = await sealed(pool);
    await confirmAll(pool, batches(hashes, perBlock));
    return { count: 1, run: () => pool.store.rollback(before), undo: () => markAgain(pool, hashes) };
  },
  limit: (pool) => ({ ...bareUpdate(pool, undone * perBlock, undone * perBlock, 1), count: 1 }),
};

export const lifecycleWorkloads: readonly Workload[] = [mark, acknowledge, release, confirm, rollback];
