import { checkedCardano, readTransaction } from 'mempool-cardano';
import type { Mempool, ReceiveOutcome } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { expect, onTestFinished, test } from 'vitest';
import { payment } from '../../server/test/edges/payment.ts';

async function poolOf(ordering: 'fifo' | 'priority'): Promise<Mempool> {
  const pool = await ephemeral.open({ ordering });
  onTestFinished(() => pool.close());
  return pool;
}

class Unfit extends Error {}

async function submitCardano(pool: Mempool, bytes: Uint8Array): Promise<ReceiveOutcome> {
  return checkedCardano(pool, bytes, (reason) => new Unfit(reason)).submit();
}

const onChain = { hash: 'ab'.repeat(32), index: 0 };

test('a transaction is submitted under the hash of its body', async () => {
  const bytes = payment({ inputs: [onChain] });
  for (const pool of [await poolOf('fifo'), await poolOf('priority')]) {
    const { hash } = readTransaction(bytes);
    expect(await submitCardano(pool, bytes)).toMatchObject({ kind: 'received', hash });
    expect(await submitCardano(pool, bytes)).toMatchObject({ kind: 'duplicate', hash });
    await expect(submitCardano(pool, bytes.subarray(1))).rejects.toThrow(Unfit);
  }
});

test('a priority pool orders by fee per byte and holds one spend of each output', async () => {
  const pool = await poolOf('priority');
  const first = await submitCardano(pool, payment({ inputs: [onChain], fee: 200_000 }));
  const rich = await submitCardano(pool, payment({ inputs: [{ ...onChain, index: 1 }], fee: 900_000 }));
  expect((await pool.reap()).map(({ hash }) => hash)).toEqual([rich.hash, first.hash]);
  const again = payment({ inputs: [onChain], fee: 201_000 });
  expect(await submitCardano(pool, again)).toMatchObject({ kind: 'replacement-underpriced' });
  const child = await submitCardano(pool, payment({ inputs: [{ hash: first.hash, index: 0 }], fee: 999_000 }));
  expect((await pool.reap()).map(({ hash }) => hash)).toEqual([rich.hash, first.hash, child.hash]);
  expect(await submitCardano(pool, payment({ inputs: [onChain], fee: 2_000_000 }))).toMatchObject({ kind: 'received' });
  expect((await pool.status(first.hash)).reason).toBe('replaced');
  expect((await pool.peekParked()).transactions.map(({ hash }) => hash)).toEqual([child.hash]);
});

test('of a transaction whose script failed, the collateral counts', async () => {
  const pool = await poolOf('priority');
  const failed = payment({ inputs: [onChain], collateral: [{ ...onChain, index: 7 }], valid: false });
  expect(await submitCardano(pool, failed)).toMatchObject({ kind: 'received' });
  expect(await submitCardano(pool, payment({ inputs: [onChain] }))).toMatchObject({ kind: 'received' });
  const spent = payment({ inputs: [{ ...onChain, index: 7 }], fee: 1 });
  expect(await submitCardano(pool, spent)).toMatchObject({ kind: 'replacement-underpriced' });
});

test('a fee that no priority can hold is the highest priority, and more outputs than tags are refused', async () => {
  const pool = await poolOf('priority');
  const huge = payment({ inputs: [onChain], fee: Number.MAX_SAFE_INTEGER });
  expect(await submitCardano(pool, huge)).toMatchObject({ kind: 'received' });
  const inputs = Array.from({ length: 1_024 }, (_, index) => ({ ...onChain, index }));
  await expect(submitCardano(pool, payment({ inputs }))).rejects.toThrow(Unfit);
});
