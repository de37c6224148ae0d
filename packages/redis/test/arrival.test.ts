import { randomInt, randomUUID } from 'node:crypto';
import { redis } from 'mempool-redis';
import { inject, test } from 'vitest';
import { arrivalChecks } from '../../../conformance/test/arrival-checks.ts';
import { compareHistories } from '../../../conformance/test/arrival-history.ts';
import { arrivalNodeChecks, arrivalReopenChecks } from '../../../conformance/test/arrival-node-checks.ts';

for (const { title, run } of [...arrivalChecks, ...arrivalNodeChecks, ...arrivalReopenChecks])
  test(title, async () => {
    const pool = randomUUID();
    await run((options) => redis.open({ ...options, pool, url: inject('redisUrl') }));
  });

test('random calls are answered as in memory, and leave the same to be seen', async () => {
  const seed = randomInt(2 ** 31);
  console.log(`arrivals: seed ${seed}`);
  const pool = randomUUID();
  const url = inject('redisUrl');
  await compareHistories(seed, (options) => redis.open({ ...options, pool, url }), 500);
});
