import { ephemeral } from 'mempool-ephemeral';
import { expect, test } from 'vitest';
import { account, nextNonce } from '../../src/mempool/account.ts';

const sender = '0xab';

async function poolOf(nonces: readonly number[]) {
  const pool = await ephemeral.open({ ordering: 'priority' });
  for (const nonce of nonces) {
    const hash = nonce.toString(16).padStart(64, '0');
    const verdict = account(sender, nonce, 3);
    if (!('code' in verdict)) await pool.receive([{ hash, payload: new Uint8Array(1), verdict }]);
  }
  return pool;
}

test('the next nonce is the first one that no ready transaction and none in flight uses', async () => {
  await using pool = await poolOf([3, 4, 7, 5, 8]);
  await pool.markInflight(['3'.padStart(64, '0')]);
  expect(await nextNonce(pool, sender, 3)).toBe(6n);
  expect(await nextNonce(pool, sender, 6n)).toBe(6n);
  expect(await nextNonce(pool, '0xcd', 9)).toBe(9n);
});

test('all pages of a sender are read', async () => {
  await using pool = await poolOf(Array.from({ length: 60 }, (_, i) => i + 3));
  const paged: Parameters<typeof nextNonce>[0] = {
    bySender: (from, query) => pool.bySender(from, { ...query, limit: 7 }),
  };
  expect(await nextNonce(paged, sender, 3)).toBe(63n);
});

test('what is no nonce is refused', async () => {
  await using pool = await poolOf([]);
  await expect(nextNonce(pool, sender, -1)).rejects.toMatchObject({ details: { field: 'chainNonce' } });
});
