import { expect, test } from 'vitest';
import { checkNode } from '../../src/mempool/define-backend.ts';

test('a Node before 22 is refused by name, a later one is not', () => {
  for (const version of ['8.17.0', '20.20.2', '21.7.3'])
    expect(() => checkNode(version)).toThrow(
      expect.objectContaining({
        code: 'ERR_MEMPOOL_UNSUPPORTED',
        message: `mempool needs Node 22 or later, but this is v${version}`,
      }),
    );
  for (const version of ['22.0.0', '26.10.0', '100.0.0']) expect(() => checkNode(version)).not.toThrow();
  expect(() => checkNode()).not.toThrow();
});
