import { Random, seed } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { checkVerdict } from '../../src/boundary/verdicts.ts';
import { decodeValue, encodeValue } from '../../src/codec/codec.ts';
import { decodeEntry, encodeEntry } from '../../src/codec/entry-record.ts';
import type { IndexDump } from '../../src/contract/dump.ts';
import type { Limits } from '../../src/contract/limits.ts';
import { maxPriority, minPriority, type Verdict } from '../../src/contract/verdict.ts';
import { admitStep } from '../../src/priority/admission.ts';
import { confirmPoolStep, rollbackPoolStep } from '../../src/priority/block-step.ts';
import { decodeChange, encodeChange } from '../../src/priority/change-record.ts';
import { dumpOf } from '../../src/priority/dump.ts';
import * as plans from '../../src/priority/pool-step.ts';
import { PriorityCall } from '../../src/priority/priority-call.ts';
import {
  changeOfStep,
  type PoolChange,
  PriorityPool,
  type PriorityPoolParts,
} from '../../src/priority/priority-pool.ts';
import type { Planning } from '../../src/priority/step-builder.ts';
import * as calls from '../../src/rules/call-plan.ts';
import type { Step } from '../../src/rules/step.ts';
import { Opening } from './opening.ts';

interface TwinsOptions {
  readonly limits?: Partial<Limits>;
  readonly maxFinalized?: number;
  readonly maxRollback?: number;
}

interface Block {
  readonly seen?: readonly string[];
  readonly unseen?: readonly string[];
  readonly provides?: readonly string[];
}

type Submissions = Readonly<Record<string, Verdict>>;

/** A pool, and one that follows each of its steps as it was kept. */
class Twins {
  readonly parts: PriorityPoolParts;
  pool: PriorityPool;
  readonly mirror: PriorityPool;
  readonly thresholds = { finalizeThreshold: 2, dropThreshold: 2 };
  blocks = 0;
  /** Every change, the first one first. */
  readonly changes: PoolChange[] = [];
  /** As a storage has them. */
  readonly satisfied = new Map<string, number>();

  constructor({ limits = {}, maxFinalized = 100, maxRollback = 10 }: TwinsOptions = {}) {
    this.parts = { epoch: 'made once', retention: { maxFinalized, maxRollback, maxEvents: 100 }, limits };
    this.pool = new PriorityPool(this.parts);
    this.mirror = new PriorityPool(this.parts);
  }

  run<T>(plan: (pool: Planning) => Step<T>): T {
    const before = dumpOf(this.pool.index);
    const planned = this.pool.plan(plan);
    expect(dumpOf(this.pool.index)).toEqual(before);
    if (planned.pool) this.#follow(planned);
    return this.pool.commit(plan, (step) => step);
  }

  #follow(step: Step<unknown>): void {
    const change = changeOfStep(step, this.pool.memory.lastEventSeq + step.events.length);
    const record = encodeChange(change);
    // The bytes of a general encoder.
    expect(encodeValue(decodeValue('change', record)).equals(record)).toBe(true);
    expect(decodeChange(record)).toEqual(change);
    this.mirror.apply(decodeChange(record));
    this.changes.push(decodeChange(record));
    for (const tag of change.pool.forgotten) this.satisfied.delete(tag);
    for (const [tag, tick] of change.pool.satisfied) this.satisfied.set(tag, tick);
  }

  restored(): PriorityPool {
    const { memory, index } = this.pool;
    const fresh = new PriorityPool(this.parts);
    for (const record of memory.dump()) fresh.restore(record);
    fresh.restore({ kind: 'limits', limits: index.limits });
    fresh.restore({ kind: 'gossip', lastGossipSeq: index.lastGossipSeq });
    for (const [tag, tick] of this.satisfied) fresh.restore({ kind: 'satisfied', tag, tick });
    for (const { entry } of index.nodes())
      fresh.restore({ kind: 'entry', entry: decodeEntry(entry.hash, entry.seq, encodeEntry(entry)) });
    fresh.restored();
    return fresh;
  }

  receive(submissions: Submissions, from: string | null, nowMs: number, bytes: number): void {
    const all = Object.entries(submissions).map(([hash, verdict]) => {
      const payload = Buffer.alloc(bytes);
      return { hash, payload, payloadType: 0, verdict: checkVerdict('verdict', verdict), from };
    });
    this.run((pool) => admitStep(pool, all, { nowMs, height: 0 }, this.thresholds));
  }

  confirm({ seen = [], unseen = [], provides = [] }: Block): void {
    this.blocks += 1;
    const point = { slot: this.blocks, hash: this.blocks.toString(16).padStart(64, '0') };
    const block = { point, parent: null, seen, unseen, provides, thresholds: this.thresholds };
    this.run((pool) => confirmPoolStep(pool, 0, block, null));
  }

  get state(): IndexDump {
    return dumpOf(this.pool.index);
  }

  get mirrored(): IndexDump {
    return dumpOf(this.mirror.index);
  }
}

/** Calls of chance on few hashes, few tags and short histories. */
class Traffic {
  readonly #chance: Random;
  readonly #twins: Twins;
  readonly #hashes = Array.from({ length: 16 }, (_, i) => (i + 16).toString(16));
  /** For each node that opened while others wrote, whether it had not to begin anew. */
  readonly openings: boolean[] = [];
  #opening: Opening | null = null;
  #now = 0;
  #calls = 0;

  constructor(chance: Random) {
    this.#chance = chance;
    const limits = chance.pick([
      {},
      { maxTxs: 4 + chance.below(9), maxParked: chance.below(5), maxEvictions: chance.below(4) },
      { maxAncestors: 1 + chance.below(4), maxDescendants: 1 + chance.below(4), ttlMs: 200, maxTxs: 10 },
    ]);
    this.#twins = new Twins({ limits, maxFinalized: 1 + chance.below(5), maxRollback: 1 + chance.below(4) });
  }

  run(steps: number): void {
    for (let i = 0; i < steps; i++) {
      this.#call();
      const { state, mirrored, mirror, pool } = this.#twins;
      expect(mirrored).toEqual(state);
      expect(mirror.memory.tip(9)).toEqual(pool.memory.tip(9));
      expect(mirror.memory.checkStatus(this.#hashes)).toEqual(pool.memory.checkStatus(this.#hashes));
      this.#open();
      if (this.#chance.below(6) > 0) continue;
      const restored = this.#twins.restored();
      expect(dumpOf(restored.index)).toEqual(state);
      if (this.#chance.below(2) === 0) this.#twins.pool = restored;
    }
  }

  /** Reads one part of the pool, and after the last compares what the parts and the changes make. */
  #open(): void {
    this.#opening ??= new Opening(this.#twins, this.#chance);
    if (this.#chance.below(3) > 0 && this.#opening.read()) return;
    while (this.#opening.read());
    const opened = this.#opening.mirror()?.pool;
    this.#opening = null;
    this.openings.push(opened !== undefined);
    if (opened === undefined) return;
    const { state, mirror } = this.#twins;
    expect(dumpOf(opened.index)).toEqual(state);
    expect(opened.memory.tip(9)).toEqual(mirror.memory.tip(9));
    expect(opened.memory.checkStatus(this.#hashes)).toEqual(mirror.memory.checkStatus(this.#hashes));
    expect(opened.memory.dumpFinalized(0, 100)).toEqual(mirror.memory.dumpFinalized(0, 100));
  }

  #call(): void {
    const chance = this.#chance;
    const twins = this.#twins;
    this.#now += chance.below(30);
    this.#calls += 1;
    const moment = { nowMs: this.#now, height: chance.below(12) };
    const hashes = this.#some(this.#hashes, 6);
    const mark = chance.pick(['markInflight', 'markAcknowledged'] as const);
    const [guard, extension, overLimits] = [this.#guard(), this.#extension(), chance.below(2) === 0];
    const turns: (() => unknown)[] = [
      ...Array(5).fill(() => this.#receive()),
      () => twins.run((pool) => plans.movePoolStep(pool, this.#now, mark, hashes)),
      () => twins.run((pool) => plans.movePoolStep(pool, this.#now, 'release', hashes, guard)),
      () => twins.run((pool) => plans.dropPoolStep(pool, this.#now, hashes, 'gone', { claim: guard.claim })),
      ...Array(2).fill(() => this.#confirm()),
      () => this.#rollback(),
      () => this.#take(),
      () => this.#revise(),
      () => twins.run((pool) => calls.extendStep(new PriorityCall(pool, this.#now), extension, this.#now)),
      () =>
        twins.run((pool) =>
          calls.sweepStep(new PriorityCall(pool, this.#now), moment, { overLimits, inflightTtlMs: 50 }),
        ),
      () => chance.below(4) === 0 && twins.run((pool) => calls.flushStep(new PriorityCall(pool, this.#now))),
      () => this.#setLimits(),
    ];
    chance.pick(turns)();
  }

  #guard(): { readonly claim: string | undefined; readonly notBefore: number | undefined } {
    const chance = this.#chance;
    const claim = chance.below(3) === 0 ? this.#extension().claimId : undefined;
    return { claim, notBefore: chance.below(2) === 0 ? this.#now + chance.below(90) : undefined };
  }

  #extension(): { readonly claimId: string; readonly claimMs: number } {
    return { claimId: `lease ${this.#calls - this.#chance.below(20)}`, claimMs: 1 + this.#chance.below(60) };
  }

  #some<T>(list: readonly T[], most: number): T[] {
    return [...new Set(Array.from({ length: this.#chance.below(most + 1) }, () => this.#chance.pick(list)))];
  }

  #verdict(): Verdict {
    const chance = this.#chance;
    const tags = ['a', 'b', 'c', 'd', 'e', 'f'];
    return {
      priority: chance.pick([maxPriority, maxPriority - 1n, minPriority, 0n, 1n, 2n, 3n, 5n, 8n, -1n]),
      sender: chance.pick(['', 'one', 'two']),
      gas: chance.pick([0, 1, 2, Number.MAX_SAFE_INTEGER]),
      provides: this.#some(tags, 2),
      requires: this.#some(tags, 2),
      expiresAt: chance.pick([undefined, undefined, this.#now + chance.below(90)]),
      expiresAtHeight: chance.pick([undefined, undefined, chance.below(12)]),
      propagate: chance.below(4) > 0,
    };
  }

  #receive(): void {
    const from = this.#chance.pick([null, 'peer', 'other']);
    const submissions = Object.fromEntries(this.#some(this.#hashes, 5).map((hash) => [hash, this.#verdict()]));
    this.#twins.receive(submissions, from, this.#now, this.#chance.below(4));
  }

  #confirm(): void {
    const seen = this.#some(this.#hashes, 4);
    const unseen = this.#some(this.#hashes, 4).filter((hash) => !seen.includes(hash));
    this.#twins.confirm({ seen, unseen, provides: this.#some(['a', 'b', 'c', 'd'], 2) });
  }

  #rollback(): void {
    const { points } = this.#twins.pool.memory.tip(4);
    const point = this.#chance.pick([...points, null]);
    this.#twins.run((pool) => rollbackPoolStep(pool, this.#now, point, null));
  }

  #take(): void {
    const budget = {
      maxBytes: 9,
      maxGas: 9,
      maxTxs: this.#chance.below(6),
      skip: this.#chance.below(3),
      overheadBytes: 1,
    };
    const claim = { claimId: `lease ${this.#calls}`, owner: 'taker', claimMs: 1 + this.#chance.below(60) };
    const take = { ...claim, budget };
    this.#twins.run((pool) => calls.takeStep(new PriorityCall(pool, this.#now), take, this.#now));
  }

  #revise(): void {
    const revisions = this.#some(this.#hashes, 5).map((hash) => {
      const entry = this.#twins.pool.index.node(hash)?.entry;
      const { provides, sender } = entry?.verdict ?? {};
      const verdict = checkVerdict('verdict', { ...this.#verdict(), provides, sender });
      const refusal = { code: 1, log: '', penalize: false };
      const answer = this.#chance.below(4) === 0 ? refusal : verdict;
      return { hash, version: entry?.version ?? 1, answer };
    });
    const moment = { nowMs: this.#now, height: this.#chance.below(12) };
    this.#twins.run((pool) => plans.reviseStep(pool, revisions, moment));
  }

  #setLimits(): void {
    const limits = { maxTxs: 4 + this.#chance.below(9), maxAncestors: 1 + this.#chance.below(5) };
    this.#twins.run((pool) => calls.limitsStep(new PriorityCall(pool, this.#now), limits));
  }
}

test(`a plan leaves the pool as it was; who follows, starts anew, or reads it while it changes, has the same pool, seed ${seed}`, () => {
  const chance = new Random(seed);
  const openings: boolean[] = [];
  for (let i = 0; i < 25; i++) {
    const traffic = new Traffic(chance);
    traffic.run(120);
    openings.push(...traffic.openings);
  }
  expect(openings.length).toBeGreaterThan(250);
  expect(openings.filter((isWhole) => isWhole).length / openings.length).toBeGreaterThan(0.5);
});
