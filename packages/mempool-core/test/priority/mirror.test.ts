import { checkHistory } from 'mempool-conformance';
import { defaultRetention } from 'mempool-core';
import { defineBackend, priorityMemoryDriver } from 'mempool-core/backend';
import { Random, seed } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { decodeValue, encodeValue } from '../../src/codec/codec.ts';
import { decodeEntry, encodeEntry } from '../../src/codec/entry-record.ts';
import { decodeChange, encodeChange } from '../../src/priority/change-record.ts';
import { dumpOf } from '../../src/priority/dump.ts';
import {
  changeOfStep,
  type PoolChange,
  PriorityPool,
  type PriorityPoolParts,
} from '../../src/priority/priority-pool.ts';
import type { Planning } from '../../src/priority/step-builder.ts';
import type { Step } from '../../src/rules/step.ts';
import { Opening } from './opening.ts';

/** A pool that plans each call twice. Another one follows its changes, and new ones are made of its records. */
class FollowedPool extends PriorityPool {
  readonly parts: PriorityPoolParts;
  /** Every change, the first one first. */
  readonly changes: PoolChange[] = [];
  /** As a storage has them. */
  readonly satisfied = new Map<string, number>();
  /** For each node that opened while others wrote, whether it had not to begin again. */
  readonly openings: boolean[] = [];
  readonly #mirror: PriorityPool;
  readonly #chance: Random;
  #opening: Opening | null = null;

  constructor(parts: PriorityPoolParts, chance: Random) {
    super(parts);
    this.parts = parts;
    this.#mirror = new PriorityPool(parts);
    this.#chance = chance;
  }

  override commit<T>(plan: (pool: Planning) => Step<T>, keep: (step: Step<T>) => Step<T>): T {
    const before = dumpOf(this.index);
    this.hold(plan);
    this.revertHeld();
    expect(dumpOf(this.index)).toEqual(before);
    const outcome = super.commit(plan, (step) => {
      const kept = keep(step);
      if (kept.pool) this.#follow(kept);
      return kept;
    });
    this.#expectSame(this.#mirror);
    if (this.#chance.below(6) === 0) this.#expectSame(this.#restored());
    this.#open();
    return outcome;
  }

  #follow(step: Step<unknown>): void {
    const change = changeOfStep(step, this.memory.lastEventSeq + step.events.length);
    const record = encodeChange(change);
    // The bytes of a general encoder.
    expect(encodeValue(decodeValue('change', record)).equals(record)).toBe(true);
    expect(decodeChange(record)).toEqual(change);
    this.#mirror.apply(decodeChange(record));
    this.changes.push(decodeChange(record));
    for (const tag of change.pool.forgotten) this.satisfied.delete(tag);
    for (const [tag, tick] of change.pool.satisfied) this.satisfied.set(tag, tick);
  }

  #expectSame({ index, memory }: PriorityPool): void {
    const hashes = Array.from(this.index.nodes(), ({ hash }) => hash);
    expect(dumpOf(index)).toEqual(dumpOf(this.index));
    expect(memory.tip(9)).toEqual(this.memory.tip(9));
    expect(memory.checkStatus(hashes)).toEqual(this.memory.checkStatus(hashes));
  }

  #restored(): PriorityPool {
    const fresh = new PriorityPool(this.parts);
    for (const record of this.memory.dump()) fresh.restore(record);
    fresh.restore({ kind: 'limits', limits: this.index.limits });
    fresh.restore({ kind: 'gossip', lastGossipSeq: this.index.lastGossipSeq });
    for (const [tag, tick] of this.satisfied) fresh.restore({ kind: 'satisfied', tag, tick });
    for (const { entry } of this.index.nodes())
      fresh.restore({ kind: 'entry', entry: decodeEntry(entry.hash, entry.seq, encodeEntry(entry)) });
    fresh.restored();
    return fresh;
  }

  /** Reads one part of the pool, and after the last compares the pool that the parts and the changes make. */
  #open(): void {
    this.#opening ??= new Opening(this, this.#chance);
    if (this.#chance.below(3) > 0 && this.#opening.read()) return;
    while (this.#opening.read());
    const opened = this.#opening.mirror()?.pool;
    this.#opening = null;
    this.openings.push(opened !== undefined);
    if (opened === undefined) return;
    this.#expectSame(opened);
    expect(opened.memory.dumpFinalized(0, 100)).toEqual(this.#mirror.memory.dumpFinalized(0, 100));
  }
}

test(`a plan leaves the pool as it was; who follows, starts anew, or reads it while it changes, has the same pool, seed ${seed}`, async () => {
  const chance = new Random(seed);
  const pools: FollowedPool[] = [];
  const backend = defineBackend({
    name: 'followed',
    capabilities: { durable: false, shared: false, lease: false, priority: true, records: false, import: false },
    open(options) {
      const retention = { ...defaultRetention, ...options.retention };
      const pool = new FollowedPool({ epoch: 'one', retention, limits: options.limits }, chance);
      pools.push(pool);
      return priorityMemoryDriver({ pool, options, close: () => undefined });
    },
  });
  for (let i = 0; i < 3; i++)
    await checkHistory({ seed: seed + i, steps: 400, scope: 'priority', open: (options) => backend.open(options) });
  const openings = pools.flatMap((pool) => pool.openings);
  expect(openings.length).toBeGreaterThan(100);
  expect(openings.filter((isWhole) => isWhole).length / openings.length).toBeGreaterThan(0.5);
});
