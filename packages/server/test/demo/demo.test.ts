import type { Cause } from 'mempool-core';
import { type RunningServer, startDemo } from 'mempool-server';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { type DemoAction, DemoWorld } from '../../src/demo/demo-world.ts';

const stepMs = 1;

async function demo(folder?: string): Promise<RunningServer> {
  const running = await startDemo({ folder, stepMs, server: { port: 0 } });
  onTestFinished(() => running.close());
  return running;
}

function actions(seed: number, origin: string): DemoAction[] {
  const world = new DemoWorld(seed, origin);
  return Array.from({ length: 500 }, () => world.next()).flat();
}

test('the same seed makes the same traffic and blocks, another seed others', () => {
  expect(actions(7, 'x')).toEqual(actions(7, 'x'));
  expect(actions(8, 'x')).not.toEqual(actions(7, 'x'));
  const kinds = new Set(actions(7, 'x').map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual(['acknowledge', 'block', 'drop', 'fork', 'release', 'send', 'submit']);
});

test('a demo shows a pool at work: everything from submission to finality, forks and drops', async () => {
  const { pool, url } = await demo();
  const missing = new Set<Cause | 'undone' | 'Finalized'>(['received', 'marked', 'acknowledged', 'released']);
  for (const cause of ['seen', 'rolled-back', 'dropped', 'undone', 'Finalized'] as const) missing.add(cause);
  for await (const event of await pool.subscribe({ after: 'origin' })) {
    if (event.kind === 'block') missing.delete(event.action as 'undone');
    if (event.kind !== 'transaction') continue;
    missing.delete(event.cause);
    missing.delete(event.stage as 'Finalized');
    if (missing.size === 0) break;
  }
  expect((await fetch(`${url}/api/v1/usage`)).status).toBe(200);
});

test('a demo in a folder goes on with its pool', async () => {
  const folder = scratchFolder();
  const first = await demo(folder);
  await expect.poll(async () => (await first.pool.tip()).tick).toBeGreaterThan(3);
  await first.close();
  const second = await demo(folder);
  const { tick } = await second.pool.tip();
  expect(tick).toBeGreaterThan(3);
  await expect.poll(async () => (await second.pool.tip()).tick).toBeGreaterThan(tick + 12);
});
