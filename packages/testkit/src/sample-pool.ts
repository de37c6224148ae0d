import type { ChainPoint, MempoolStore, OpenOptions, Ordering, Submission } from 'mempool-core';

// A pool with something of everything that is stored.

/** The time of the sample's clock, which stands still. */
const nowMs = 1_780_000_000_000;

export function sampleOptions(ordering: Ordering): OpenOptions {
  return { pool: 'sample', ordering, now: () => nowMs, maxFinalized: 9, maxRollback: 3 };
}

function hashOf(n: number): string {
  return n.toString(16).padStart(64, '0');
}

function hashes(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => hashOf(first + i));
}

function pointOf(n: number): ChainPoint {
  return { slot: 20 * n, hash: hashOf(0xb10c_0000 + n) };
}

/** What priority pools know beside the price: parents, a parked one, a replacement, expiry, a sender and a peer. */
const verdicts: Readonly<Record<number, Submission['verdict']>> = {
  9: { priority: 7n, expiresAt: nowMs + 5_000, sender: 'ann', senderLimit: 3 },
  10: { priority: 5n, provides: ['a'] },
  11: { priority: 900n, requires: ['a'], gas: 21 },
  12: { priority: 2n ** 62n, requires: ['nobody gives it'] },
  16: { priority: -(2n ** 63n), propagate: false, expiresAtHeight: 9 },
  20: { priority: 80n, provides: ['a'] },
};

function submission(ordering: Ordering, n: number): Submission {
  const payload = Buffer.alloc(24, `payload ${n} `);
  const transaction = { hash: hashOf(n), payload, payloadType: (n * 4_099) % 65_536 };
  if (ordering !== 'priority') return transaction;
  return { ...transaction, from: `peer-${n % 3}`, verdict: verdicts[n] ?? { priority: BigInt((n * 7_919) % 100) } };
}

function submissions(ordering: Ordering, first: number, count: number): Submission[] {
  return Array.from({ length: count }, (_, i) => submission(ordering, first + i));
}

const patient = { dropThreshold: Number.POSITIVE_INFINITY } as const;

/** Fills an empty pool that was opened with `sampleOptions`. */
export async function fillSample(store: MempoolStore): Promise<void> {
  const { ordering } = store;
  await store.receive(submissions(ordering, 0, 20), { operationId: 'receive' });
  await store.markInflight(hashes(0, 8), { operationId: 'mark' });
  await store.markAcknowledged(hashes(4, 3));
  await store.drop(hashes(18, 2), { app: 'of no use' }, { operationId: 'drop' });
  await store.receive([submission(ordering, 18)]);
  await store.confirm({ point: pointOf(1), seen: hashes(0, 3), unseen: [] }, patient, { operationId: 'block' });
  const second = { point: pointOf(2), parent: pointOf(1).hash, seen: [hashOf(3), hashOf(99)], unseen: hashes(5, 1) };
  const provides = ordering === 'priority' ? ['b'] : [];
  await store.confirm({ ...second, provides }, { dropThreshold: 2 });
  const agreed = { point: pointOf(3), seen: [hashOf(19), hashOf(6)], unseen: [] };
  await store.confirm(agreed, { ...patient, finalizeThreshold: 3 });
  await store.rollback(pointOf(2), { operationId: 'undo' });
  await store.receive([submission(ordering, 99), submission(ordering, 20)]);
  await store.markInflight(hashes(13, 2));
  await store.markAcknowledged(hashes(13, 1));
  await store.release(hashes(14, 1), { notBeforeMs: nowMs + 1_000 });
  await store.take({ maxTxs: 4 }, { owner: 'worker', claimMs: 60_000, operationId: 'claim' });
  await store.setLimits({ maxTxs: 500 }, { operationId: 'limits' });
}
