import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { type ElectionClock, type Hint, type LeaseStore, systemClock } from 'mempool-election';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { bid, openLeases, win } from './node.ts';

/** Calls back when a test says so. */
class Timers implements ElectionClock {
  readonly monotonicMs: () => number = systemClock.monotonicMs;
  readonly wallMs: () => number = systemClock.wallMs;
  readonly #waiting = new Set<() => void>();

  schedule(callback: () => void): () => void {
    this.#waiting.add(callback);
    return () => void this.#waiting.delete(callback);
  }

  /** All that waits is due. */
  strike(): void {
    const due = [...this.#waiting];
    this.#waiting.clear();
    for (const callback of due) callback();
  }
}

/** One node that acts, and one that listens and looks whenever `look` is called. */
async function pair() {
  const path = join(scratchFolder(), 'pool.db');
  const timers = new Timers();
  const [store, other] = [await openLeases(path), await openLeases(path, { timers })];
  const hints: Hint[] = [];
  const listen = () => other.onHint((hint) => hints.push(hint));
  return { path, store, other, hints, listen, look: () => timers.strike() };
}

async function winAndRelease(store: LeaseStore, nodeId: string): Promise<void> {
  await store.release(await win(store, nodeId));
}

test('who listens is told of a win and of a release by others, once each', async () => {
  const { store, hints, listen, look } = await pair();
  listen();
  const lease = await win(store, 'a');
  for (const _ of 'twice') look();
  expect(hints).toEqual(['acquired']);
  await store.release(lease);
  for (const _ of 'twice') look();
  expect(hints).toEqual(['acquired', 'released']);
});

test('a lease that came and went between two looks is told as released: its holder may have been met meanwhile', async () => {
  const { store, other, hints, listen, look } = await pair();
  listen();
  const lease = await win(store, 'a');
  expect(await other.campaign(bid('b'))).toMatchObject({ kind: 'held', lease: { nodeId: 'a' } });
  await store.release(lease);
  look();
  expect(hints).toEqual(['released']);
  await winAndRelease(store, 'c');
  look();
  expect(hints).toEqual(['released', 'released']);
});

test('a lease that went before the first look that did not fail is told as released', async () => {
  const { path, store, other, hints, listen, look } = await pair();
  await winAndRelease(store, 'a');
  const database = new SqliteDatabase(path);
  database.exec('UPDATE lease SET term = -term');
  listen();
  database.exec('UPDATE lease SET term = -term').close();
  const lease = await win(store, 'a', { token: 'second' });
  expect(await other.campaign(bid('b'))).toMatchObject({ kind: 'held' });
  await store.release(lease);
  look();
  expect(hints).toEqual(['released']);
});
