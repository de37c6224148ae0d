import { describe, expect, onTestFinished, test } from 'vitest';
import { loadSubject } from '../src/backends/subject.ts';
import { type Reaper, reaperBeside, reaperHere } from '../src/goals/reaper.ts';
import { subjectPaths } from '../src/runner/context.ts';
import { RankedPool } from '../src/workloads/ranked-pool.ts';

async function filled(path: string): Promise<RankedPool> {
  const pool = new RankedPool(await loadSubject(path), 20);
  onTestFinished(() => pool.close());
  return pool.fill(20, 'pending');
}

async function reapsWhile(reaper: Reaper, work: () => Promise<unknown>): Promise<number> {
  await reaper.reap();
  await work();
  return reaper.rest();
}

describe('somebody who reaps without end', () => {
  test('reaps in every turn of the event loop where it has the same process', async () => {
    const pool = await filled(subjectPaths.ephemeral);
    const reaper = reaperHere(pool.store, 10);
    let turns = 0;
    const work = async (): Promise<void> => {
      for (; turns < 50; turns++) await new Promise(setImmediate);
    };
    expect(await reapsWhile(reaper, work)).toBeGreaterThanOrEqual(49);
  });

  test('reaps in a process of its own what another one stores, until it rests', async () => {
    const pool = await filled(subjectPaths.sqlite);
    const reaper = await reaperBeside(subjectPaths.sqlite, pool.name, 10);
    onTestFinished(() => reaper.end());
    const slow = async (): Promise<void> => {
      for (let i = 0; i < 20; i++) await pool.store.receive([]);
    };
    expect(await reapsWhile(reaper, slow)).toBeGreaterThan(0);
    await reaper.end();
    await expect(reaper.reap()).rejects.toThrow(Error);
  });
});
