import { expect, test, vi } from 'vitest';

test('without an address the subject writes to no server', async () => {
  vi.stubEnv('MEMPOOL_TEST_REDIS_URL', undefined);
  vi.resetModules();
  await expect(import('./subject.ts')).rejects.toThrow('set MEMPOOL_TEST_REDIS_URL');
  vi.unstubAllEnvs();
});
