import { startDemo } from 'mempool-server';
import { expect, onTestFinished, test } from 'vitest';

test('the leader is told with the time left of its lease and the last changes', async () => {
  const server = await startDemo({ stepMs: 10_000, server: { port: 0 } });
  onTestFinished(() => server.close());
  const read = async () => (await fetch(`${server.url}/api/v1/leader`)).json();
  const nodeId = server.election?.id;
  await expect.poll(read).toMatchObject({ nodeId, state: 'leader', leader: { nodeId } });
  const { leaseMs, term } = (await read()) as { leaseMs: number; term: number };
  expect(leaseMs).toBeGreaterThan(0);
  await server.election?.resign();
  const { changes, ...resigned } = (await read()) as { changes: { at: number }[] };
  expect(resigned).toMatchObject({ state: 'follower', leader: null, leaseMs: null });
  expect(changes[0]).toMatchObject({ nodeId: null, term });
  expect(Math.abs(Date.now() - (changes[0]?.at ?? 0))).toBeLessThan(60_000);
});
