import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { backendOf } from '../src/backends/backend.ts';
import { startServer } from '../src/backends/redis-server.ts';

describe('where no redis-server is on the PATH', () => {
  afterEach(() => void vi.unstubAllEnvs());

  test('that is said, and the backend that needs one is refused', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mempool-benchmark-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    vi.stubEnv('PATH', folder);
    await expect(startServer(folder)).rejects.toThrow(Error);
    const pass = { index: 0, count: 1 };
    const context = { folder, sizes: [10], rounds: 1, row: undefined, pass, redis: null };
    await expect(backendOf('redis', context)).rejects.toThrow(Error);
  });
});
