import { type Mempool, type Submission, toJsonValue } from 'mempool-core';
import { openNode } from 'mempool-node';

const batch = 1_000;

/** Fills a new pool with transactions in every stage, blocks, a log, claims and records. */
export async function fillPool(config: string, count: number): Promise<void> {
  const { pool } = await openNode(config, {
    sweepEveryMs: Number.POSITIVE_INFINITY,
    inflightTtlMs: Number.POSITIVE_INFINITY,
  });
  for (let first = 0; first < count; first += batch) await fill(pool, first, Math.min(batch, count - first));
  await pool.putRecord('settings/a', Buffer.from('a value of an application'));
  await pool.putRecord('monitor/gone', Buffer.from([0]));
  await pool.putRecord('monitor/gone', null);
  await pool.close();
}

/** Of each ten transactions: one stage each, and the rest Pending. */
async function fill(pool: Mempool, first: number, count: number): Promise<void> {
  const all = Array.from({ length: count }, (_, i) => first + i);
  const of = (...digits: number[]): string[] => all.filter((n) => digits.includes(n % 10)).map(hashOf);
  const submitted = await pool.receive(all.map((n) => submission(pool, n)));
  const bad = submitted.find(({ kind }) => kind !== 'received');
  if (bad !== undefined) throw new Error(`refused: ${JSON.stringify(toJsonValue(bad))}`);
  await pool.markInflight(of(0, 1, 2, 3, 4));
  await pool.markAcknowledged(of(1, 2, 3));
  await pool.release(of(4), { notBeforeMs: 4_000_000_000_000 });
  await pool.drop(of(5), first % (2 * batch) === 0 ? 'invalid' : { app: 'of no use' });
  const block = 10 * (first / batch);
  for (let n = 1; n <= 3; n += 1) {
    const point = { slot: block + n, hash: hashOf(2 ** 40 + block + n) };
    const seen = n === 1 ? of(2) : n === 3 ? of(3) : [];
    await pool.confirm({ point, seen, unseen: [] }, { finalizeThreshold: 3 });
  }
  await pool.take({ maxTxs: count / 10 }, { owner: 'worker', claimMs: 1_000_000_000, operationId: `claim-${first}` });
}

function submission({ ordering }: Mempool, n: number): Submission {
  const payload = Buffer.alloc(20 + ((n * 31) % 200), `payload ${n} `);
  const transaction = { hash: hashOf(n), payload, payloadType: n % 65_536 };
  if (ordering === 'fifo') return transaction;
  const provides = n % 100 === 8 ? [`tag-${n}`] : [];
  const requires = n % 100 === 9 ? [`tag-${n - 1}`] : n % 100 === 19 ? ['nobody gives it'] : [];
  const verdict = {
    priority: BigInt((n * 7_919) % 1_000),
    sender: `sender-${n % 997}`,

    provides,
    requires,
  };
  return { ...transaction, from: `peer-${n % 3}`, verdict };
}

function hashOf(n: number): string {
  return n.toString(16).padStart(64, '0');
}
