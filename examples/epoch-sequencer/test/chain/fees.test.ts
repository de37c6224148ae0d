import { raised, startingFees } from 'mempool-sequencer/evm';
import { expect, test } from 'vitest';

test('a replacement pays an eighth more of both, and at least what a new transaction would', () => {
  const market = startingFees(10n, 3n);
  expect(market).toEqual({ tip: '3', cap: '23' });
  for (const fee of [0n, 1n, 7n, 8n, 999n, 10n ** 9n + 1n, 10n ** 18n - 1n]) {
    const before = { tip: String(fee), cap: String(2n * fee) };
    const after = raised(before, market);
    for (const name of ['tip', 'cap'] as const) {
      expect(BigInt(after[name]) * 1_000n).toBeGreaterThanOrEqual(BigInt(before[name]) * 1_125n);
      expect(BigInt(after[name])).toBeGreaterThanOrEqual(BigInt(market[name]));
    }
  }
});
