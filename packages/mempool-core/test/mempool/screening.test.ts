import { describe, expect, it } from 'vitest';
import type { Transaction } from '../../src/contract/transaction.ts';
import { Mempool } from '../../src/mempool/mempool.ts';
import { scratch } from '../readme-backend.ts';

const hash = (n: number): string => n.toString(16).padStart(64, '0');
const transaction = (n: number, payload = n): Transaction => ({
  hash: hash(n),
  payload: new Uint8Array([payload]),
  payloadType: 0,
});
const operation = { operationId: 'once' };

/** A pool whose application refuses the payloads that are told to it. */
async function open() {
  const unwanted = new Set<number>();
  const validate = ({ payload }: Transaction) =>
    unwanted.has(payload[0] ?? 0) ? { code: 7, log: 'spent', penalize: true } : {};
  return { unwanted, pool: new Mempool(await scratch.open(), { validate, keepInvalidMs: 0 }) };
}

describe('a list that is received again with its operation id (X2)', () => {
  it('is answered as before, whatever the application refuses by now', async () => {
    const { pool, unwanted } = await open();
    const list = [1, 2, 3].map((n) => transaction(n));
    const first = await pool.receive(list, operation);
    await pool.drop(hash(1), 'gone');
    unwanted.add(1);
    expect(await pool.receive(list, operation)).toEqual(first);
    expect(await pool.status(hash(1))).toMatchObject({ stage: 'Dropped' });
    await pool.close();
  });

  it('takes in nothing that was refused before, whatever the application accepts by now', async () => {
    const { pool, unwanted } = await open();
    unwanted.add(1);
    const list = [1, 2].map((n) => transaction(n));
    const [refused, received] = await pool.receive(list, operation);
    unwanted.clear();
    const repeat = await pool.receive(list, operation);
    expect(refused).toMatchObject({ kind: 'refused', hash: hash(1), code: 7, log: 'spent', penalize: true });
    expect(repeat).toMatchObject([{ kind: 'refused', hash: hash(1), codespace: 'mempool', penalize: false }, received]);
    expect(await pool.status(hash(1))).toMatchObject({ stage: 'Unknown' });
    await pool.close();
  });

  it('is judged anew where it was refused as a whole', async () => {
    const { pool, unwanted } = await open();
    unwanted.add(1);
    expect(await pool.receive([transaction(1)], operation)).toMatchObject([{ kind: 'refused' }]);
    unwanted.clear();
    expect(await pool.receive([transaction(1)], operation)).toMatchObject([{ kind: 'received', hash: hash(1) }]);
    await pool.close();
  });
});

it('of two payloads for one hash, the refused one is told so and the other is taken', async () => {
  const { pool, unwanted } = await open();
  unwanted.add(7);
  const outcomes = await pool.receive([transaction(1, 7), transaction(1, 8)]);
  expect(outcomes).toMatchObject([{ kind: 'refused' }, { kind: 'received', hash: hash(1) }]);
  await pool.close();
});
