import { expect, it } from 'vitest';
import { defineBackend } from '../src/backend.ts';
import { Ledger } from '../src/ledger.ts';
import { type LedgerDriverParts, ledgerDriver } from '../src/ledger-driver.ts';
import { defaultRetention } from '../src/options.ts';

const one = { hash: 'ab'.repeat(32), payload: new Uint8Array(1), payloadType: 0 };
const capabilities = { durable: false, shared: false, lease: false, priority: false };

function opened(commit: LedgerDriverParts['commit']) {
  const ledger = new Ledger('epoch', defaultRetention);
  const backend = defineBackend({
    name: 'test',
    capabilities,
    open: (options) => ledgerDriver({ ledger, options, commit, close: () => undefined }),
  });
  return backend.open();
}

it('a commit that is asynchronous is refused when the pool is opened', async () => {
  // @ts-expect-error a promise is not waited for
  const opening = opened(async () => undefined);
  await expect(opening).rejects.toMatchObject({
    code: 'ERR_MEMPOOL_INTERNAL',
    message: expect.stringMatching('must be synchronous'),
  });
});

it('a commit that answers with a promise fails its call', async () => {
  // @ts-expect-error a promise is not waited for
  const store = await opened(() => Promise.reject(new Error('the disk is full')));
  await expect(store.receive([one])).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INTERNAL' });
  expect((await store.usage()).pending).toBe(0);
});
