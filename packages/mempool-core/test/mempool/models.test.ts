import { account, isRefusal, onePerSender, utxo, utxoLimits, utxoTags, type Validate } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { block, hash, kinds, numbers, openPriority, transaction } from './tap.ts';

const spends = (n: number, ...verdict: Parameters<typeof utxo>) => ({ ...transaction(n), verdict: utxo(...verdict) });

describe('the models in a pool', () => {
  it('one per sender: the place is free again when the first is confirmed', async () => {
    const { pool } = await openPriority();
    const of = (n: number, sender: string, priority = 0n) => ({
      ...transaction(n),
      verdict: onePerSender(sender, { priority }),
    });
    const outcomes = await pool.receive([of(1, 'ann'), of(2, 'ann', 99n), of(3, 'bob'), of(4, ''), of(5, '')]);
    expect(kinds(outcomes)).toEqual(['received', 'sender-limit', 'received', 'received', 'received']);
    await pool.confirm(block(1, 1));
    expect(await pool.submit(of(2, 'ann'))).toMatchObject({ kind: 'received' });
  });

  it('accounts: nonces wait for the one before, and come in their order whatever they pay', async () => {
    const chainNonce = 5n;
    const nonces: Record<number, bigint> = { 1: 7n, 2: 5n, 3: 6n, 4: 4n };
    const validate: Validate = ({ payload: [n = 0] }) =>
      account('ann', nonces[n] ?? 0n, chainNonce, { priority: BigInt(10 * n) });
    const { pool } = await openPriority({ validate });
    expect(await pool.submit(transaction(1))).toMatchObject({ kind: 'received', parked: true });
    expect(await pool.submit(transaction(2))).not.toHaveProperty('parked');
    expect(numbers(await pool.reap())).toEqual([2]);
    await pool.submit(transaction(3));
    expect(numbers(await pool.reap())).toEqual([2, 3, 1]);
    expect(await pool.submit(transaction(4))).toMatchObject({ kind: 'refused', code: 1, codespace: 'mempool' });
  });

  it('accounts: the same nonce again replaces, if it pays a tenth more', async () => {
    const { pool } = await openPriority();
    const of = (n: number, priority: bigint) => {
      const verdict = account('ann', 1, 1, { priority });
      if (isRefusal(verdict)) throw new Error('the nonce is not used');
      return { ...transaction(n), verdict };
    };
    const outcomes = await pool.receive([of(1, 100n), of(2, 109n), of(3, 110n)]);
    expect(outcomes[1]).toMatchObject({ kind: 'replacement-underpriced', required: 110n });
    expect(outcomes[2]).toMatchObject({ kind: 'received' });
    expect(await pool.status(hash(1))).toMatchObject({ stage: 'Dropped', reason: 'replaced' });
  });

  it('outputs: the first spend stays, and who spends what another makes comes after it', async () => {
    const { pool } = await openPriority({}, utxoLimits);
    const child = spends(2, { confirmed: [], unconfirmed: ['1#0'] }, ['2#0']);
    expect(await pool.submit(child)).toMatchObject({ parked: true });
    const outcomes = await pool.receive([
      spends(1, { confirmed: ['0#0'] }, ['1#0']),
      spends(3, { confirmed: ['0#0'] }, ['3#0']),
    ]);
    expect(kinds(outcomes)).toEqual(['received', 'replacement-underpriced']);
    expect(numbers(await pool.reap())).toEqual([1, 2]);
  });

  it('outputs: a block whose transactions the pool never had spends and makes them too', async () => {
    const { pool } = await openPriority({}, utxoLimits);
    await pool.receive([
      spends(1, { confirmed: ['0#0'] }, ['1#0']),
      spends(2, { confirmed: [], unconfirmed: ['9#0'] }, ['2#0']),
    ]);
    const provides = utxoTags(['0#0'], ['9#0']);
    await pool.confirm({ ...block(1), provides });
    expect(await pool.status(hash(1))).toMatchObject({ stage: 'Dropped', reason: 'conflict' });
    expect(numbers(await pool.reap())).toEqual([2]);
  });
});
