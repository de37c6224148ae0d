import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { backendOf } from '../src/bench-backend.ts';
import { startServer } from '../src/redis-server.ts';

describe('where no redis-server is on the PATH', () => {
  afterEach(() => void vi.unstubAllEnvs());

  test('none is started, and the backend that needs one is refused before anything is measured', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mempool-benchmark-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    vi.stubEnv('PATH', folder);
    const redis = await startServer(folder);
    expect(redis).toBeNull();
    const context = { folder, sizes: [10], rounds: 1, row: undefined, redis };
    await expect(backendOf('redis', context)).rejects.toThrow(Error);
  });
});
