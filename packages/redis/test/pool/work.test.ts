import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { redis } from 'mempool-redis';
import { testWorkers } from 'mempool-testkit/vitest';
import { inject, test } from 'vitest';

const program = fileURLToPath(new URL('sender.ts', import.meta.url));

test.each(['fifo', 'priority'] as const)(
  'workers share a %s pool, and what one leaves another does',
  async (ordering) => {
    const [url, pool] = [inject('redisUrl'), randomUUID()];
    const store = await redis.open({ url, pool, ordering });
    await testWorkers({ store, command: [program, url, pool, ordering] });
  },
);
