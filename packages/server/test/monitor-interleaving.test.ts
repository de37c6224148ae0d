import type { Mempool, MempoolEvent } from 'mempool-core';
import { Random, seed } from 'mempool-testkit';
import { expect, onTestFinished, test } from 'vitest';
import { decodeHead } from '../src/monitor/head-codec.ts';
import { Keeper, type RecordPool, type SaveOutcome } from '../src/monitor/keeper.ts';
import { allEvents, clockedPool, RandomLife } from './random-pool.ts';
import { assertRecount } from './recount.ts';

/** The puts of one keeper, which wait until the test lets each of them happen, or never. */
class Gate {
  readonly #waiting: (() => void)[] = [];
  #isShut = true;

  get waits(): boolean {
    return this.#waiting.length > 0;
  }

  /** The pool as the keeper sees it. */
  around(pool: Mempool): RecordPool {
    return {
      getRecord: (...given) => pool.getRecord(...given),
      listRecords: (...given) => pool.listRecords(...given),
      putRecord: async (...given) => {
        if (this.#isShut) await new Promise<void>((resolve) => this.#waiting.push(resolve));
        return pool.putRecord(...given);
      },
    };
  }

  async release(): Promise<void> {
    this.#waiting.shift()?.();
    // The put in memory, and the keeper's next one.
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  }

  async open(): Promise<void> {
    this.#isShut = false;
    while (this.waits) await this.release();
  }
}

/** A monitor without its timers and its loop: each of its steps is the test's. */
class SteppedMonitor {
  readonly gate = new Gate();
  readonly keeper: Keeper;
  readonly #pool: Mempool;
  #events: AsyncIterator<MempoolEvent> | null = null;
  #saving: Promise<SaveOutcome> | null = null;
  /** What the last save came to. */
  outcome: SaveOutcome | null = null;

  constructor(pool: Mempool) {
    this.#pool = pool;
    this.keeper = new Keeper({ records: this.gate.around(pool), prefix: 'monitor/', log: () => undefined });
  }

  async load(): Promise<void> {
    await this.keeper.load();
    await this.#events?.return?.();
    this.#events = (await this.#pool.subscribe({ after: this.keeper.tally.cursor }))[Symbol.asyncIterator]();
    if (this.keeper.wantsCounts) this.keeper.offerCounts(await this.#pool.usage());
  }

  /** Counts up to `count` events that are there. */
  async read(count: number): Promise<void> {
    for (let i = 0; i < count && !this.keeper.isAt(await this.#pool.usage()); i++) {
      const { value } = await (this.#events as AsyncIterator<MempoolEvent>).next();
      expect(this.keeper.take(value)).toBe('counted');
      if (this.keeper.wantsCounts) this.keeper.offerCounts(await this.#pool.usage());
    }
  }

  beginSave(): void {
    if (this.#saving !== null) return;
    this.#saving = this.keeper.save();
    void this.#saving.then((outcome) => {
      this.outcome = outcome;
    });
  }

  /** One put of the save, if there is one; the loser of the compare loads. */
  async stepSave(): Promise<void> {
    await this.gate.release();
    if (this.outcome === null) return;
    const lost = this.outcome === 'conflict';
    this.#saving = null;
    this.outcome = null;
    if (lost) await this.load();
  }

  async finish(): Promise<void> {
    await this.gate.open();
    await this.#saving;
    for (;;) {
      await this.load();
      await this.read(Number.POSITIVE_INFINITY);
      if ((await this.keeper.save()) !== 'conflict') return;
    }
  }

  /** Ends it as a SIGKILL would: puts that wait never happen. */
  async kill(): Promise<void> {
    await this.#events?.return?.();
  }
}

type Check = (pool: Mempool, keeper: Keeper) => void | Promise<void>;

/** Two monitors and a pool, step by step in a random order. Returns what happened how often. */
async function interleave(
  random: Random,
  maxEvents: number,
  assertStored: Check,
): Promise<Record<'conflict' | 'killed' | 'missed', number>> {
  const clock = { now: 1_800_000_000_000 + random.below(100_000_000) };
  const pool = await clockedPool(random.pick(['fifo', 'priority']), clock, { maxEvents });
  onTestFinished(() => pool.close());
  const life = new RandomLife(pool, random, clock);
  const monitors = [new SteppedMonitor(pool), new SteppedMonitor(pool)];
  for (const each of monitors) await each.load();
  const happened = { conflict: 0, killed: 0, missed: 0 };
  let stored = 0;
  for (let step = 0; step < 250; step++) {
    const i = random.below(2);
    const monitor = monitors[i] as SteppedMonitor;
    if (random.below(3) === 0) await life.step();
    const dice = random.below(20);
    if (dice < 8) await monitor.read(1 + random.below(12));
    else if (dice < 11) monitor.beginSave();
    else if (dice < 19) {
      const before = monitor.keeper.tally;
      await monitor.stepSave();
      if (monitor.keeper.tally !== before) happened.conflict += 1;
    } else {
      await monitor.kill();
      monitors[i] = new SteppedMonitor(pool);
      await monitors[i].load();
      await assertStored(pool, monitors[i].keeper);
      happened.killed += 1;
    }
    const before = stored;
    stored = await storedSeq(pool);
    expect(stored).toBeGreaterThanOrEqual(before);
  }
  for (const each of monitors) await each.finish();
  const last = new SteppedMonitor(pool);
  await last.load();
  await assertStored(pool, last.keeper);
  const usage = await pool.usage();
  expect(last.keeper.isAt(usage)).toBe(true);
  expect(last.keeper.tally.live).toEqual([usage.pending, usage.propagated, usage.acknowledged, usage.confirmed]);
  for (const each of monitors) await each.kill();
  happened.missed = last.keeper.tally.missed;
  return happened;
}

/** How far the head is. It never goes back: counters of metrics would fall. */
async function storedSeq(pool: Mempool): Promise<number> {
  const head = await pool.getRecord('monitor/head');
  return head === null ? 0 : decodeHead(head.value).seq;
}

/** What is stored at any time is the recount of all events up to its cursor. */
async function assertExact(pool: Mempool, { tally }: Keeper): Promise<void> {
  const events = await allEvents(pool);
  assertRecount(tally, events.slice(0, tally.seq));
}

/** Each event up to the cursor is counted or missed, once. */
function assertAllAccounted(_: Mempool, { tally }: Keeper): void {
  const { moved, applied, undone, missed, seq } = tally;
  expect(moved + applied + undone + missed).toBe(seq);
}

async function runs(count: number, maxEvents: number, check: Check) {
  const random = new Random(seed);
  const all = { conflict: 0, killed: 0, missed: 0 };
  for (let run = 0; run < count; run++) {
    const { conflict, killed, missed } = await interleave(random, maxEvents, check);
    all.conflict += conflict;
    all.killed += killed;
    all.missed += missed;
  }
  return all;
}

test(`the stored totals are a recount of the raw events, whatever two monitors and a kill do in between (seed ${seed})`, async () => {
  const { conflict, killed, missed } = await runs(12, 100_000, assertExact);
  expect(conflict).toBeGreaterThan(20);
  expect(killed).toBeGreaterThan(20);
  expect(missed).toBe(0);
});

test(`if events are lost to the monitors, each is counted or missed, and counts are the pool’s own (seed ${seed})`, async () => {
  const { conflict, missed } = await runs(6, 20, assertAllAccounted);
  expect(conflict).toBeGreaterThan(10);
  expect(missed).toBeGreaterThan(0);
});
