import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder, testWorkers } from 'mempool-testkit/vitest';
import { test } from 'vitest';
import { orderings } from '../kinds.ts';

const program = fileURLToPath(new URL('sender.ts', import.meta.url));

test.each(orderings)('workers share a %s file, and what one leaves another does', async (ordering) => {
  const path = join(scratchFolder(), 'pool.sqlite');
  const store = await sqlite.open({ path, ordering });
  await testWorkers({ store, command: [program, path, ordering] });
});
