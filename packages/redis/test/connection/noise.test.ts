import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { redisElection } from 'mempool-redis';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { openOptions } from '../election/node.ts';
import { openPool, ownProxy } from '../own-server.ts';

/** What goes to the console or is a warning of the process while a test runs. */
function noise(): string[] {
  const heard: string[] = [];
  for (const method of ['error', 'warn', 'log'] as const) {
    const spy = vi.spyOn(console, method).mockImplementation((...words) => void heard.push(words.join(' ')));
    onTestFinished(() => spy.mockRestore());
  }
  const warned = (warning: Error) => void heard.push(String(warning));
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  return heard;
}

/** Warnings come a turn of the event loop later. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('many calls that time out together say nothing but their errors', async () => {
  const heard = noise();
  const proxy = await ownProxy(inject('redisUrl'));
  const { store } = await openPool({ url: proxy.url, pool: randomUUID(), timeoutMs: 400 });
  const election = await redisElection.open(
    openOptions({ url: proxy.url, pool: randomUUID(), ttlMs: 250, commandTimeoutMs: 100 }),
  );
  onTestFinished(() => election.close());
  proxy.freeze();
  const calls = Array.from({ length: 20 }, () => [store.usage(), election.observe()]).flat();
  await Promise.all(calls.map((call) => assert.rejects(call)));
  await assert.rejects(election.observe());
  await turn();
  expect(heard).toEqual([]);
});
