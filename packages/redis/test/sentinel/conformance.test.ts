import { ownGroup } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { runSuiteThrough } from './suite-run.ts';

// The whole suite is a command: npm run test:suite:sentinel.
test('cases of the suite about order and moves pass through Sentinels, with writes that wait', async () => {
  const group = await ownGroup({ replicas: 1, sentinels: 1, downAfterMs: 30_000 });
  const parts = ['M2/order', 'M2/reads-in-order', 'X3/', 'L3/'];
  const { counts } = await runSuiteThrough(group.endpoint.sentinels, { parts, concurrency: 2, minReplicas: 1 });
  expect(counts).toMatchObject({ failed: 0 });
  expect(counts.passed).toBeGreaterThan(10);
});
