import { expect, it } from 'vitest';
import type { Backend } from '../src/backend.ts';
import { openMempool } from '../src/open-mempool.ts';
import { scratch } from './readme-backend.ts';

it('opens no store for options that no pool takes: nobody would close it', async () => {
  let opened = 0;
  const backend: Backend = {
    ...scratch,
    open: (options) => {
      opened += 1;
      return scratch.open(options);
    },
  };
  const opening = openMempool({ backend: 'scratch' }, { scratch: backend }, { maxBatch: 0 });
  await expect(opening).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID', details: { field: 'maxBatch' } });
  expect(opened).toBe(0);
});
