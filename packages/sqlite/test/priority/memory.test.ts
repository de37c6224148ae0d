import { join } from 'node:path';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { report } from '../program.ts';

test('a process that only reads does not keep in memory what the others have forgotten', async () => {
  const [path, blocks] = [join(scratchFolder(), 'pool.db'), 200];
  // The tags of the second half alone are 4 MB.
  expect(await report('./priority/follower.ts', [path, String(blocks)])).toBeLessThan(2_000_000);
}, 60_000);
