import type { ChainPoint, DropReason, Mempool, MempoolEvent, Ordering } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import type { Random } from 'mempool-testkit';

const reasons: readonly DropReason[] = [
  'failed',
  'invalid',
  { app: 'too dear' },
  { app: 'stale' },
  { app: 'x'.repeat(65) },
];
const stepsMs = [0, 0, 1, 700, 12_000, 70_000];

/** A pool in memory whose clock is moved by hand. */
export async function clockedPool(
  ordering: Ordering,
  clock: { now: number },
  further: { readonly maxEvents?: number } = {},
): Promise<Mempool> {
  const options = { pool: 'monitored', ordering, now: () => clock.now, maxRollback: 20, ...further };
  return ephemeral.open({ ...options, sweepEveryMs: Number.POSITIVE_INFINITY });
}

/** Makes random calls, so that a pool has events of every kind. Both backends and clocks will do. */
export class RandomLife {
  readonly #pool: Mempool;
  readonly #random: Random;
  readonly #clock: { now: number };
  readonly #points: ChainPoint[] = [];
  #made = 0;
  #slot = 0;

  /** `first`: lives on one pool whose first numbers are far apart do not submit the same hashes. */
  constructor(pool: Mempool, random: Random, clock: { now: number } = { now: 0 }, first = 0) {
    this.#pool = pool;
    this.#random = random;
    this.#clock = clock;
    this.#made = first;
    this.#slot = first;
  }

  async step(): Promise<void> {
    this.#clock.now += this.#random.pick(stepsMs);
    const calls = [
      () => this.#submit(),
      () => this.#submit(),
      () => this.#pool.markInflight(this.#some()),
      () => this.#pool.markAcknowledged(this.#some()),
      () => this.#pool.release(this.#some()),
      () => this.#pool.drop(this.#some(), this.#reason()),
      () => this.#block(),
      () => this.#block(),
      () => this.#undo(),
    ];
    await this.#random.pick(calls)();
  }

  #reason(): DropReason {
    const { pick, below } = { pick: this.#random.pick(reasons), below: this.#random.below(30) };
    return this.#random.below(2) === 0 ? pick : { app: `reason ${below}` };
  }

  async #submit(): Promise<void> {
    const count = 1 + this.#random.below(5);
    const again = this.#random.below(4) === 0 ? this.#some() : [];
    const fresh = Array.from({ length: count }, () => hashOf(this.#made++));
    await this.#pool.receive([...new Set([...fresh, ...again])].map((hash) => ({ hash, payload: Buffer.from(hash) })));
  }

  async #block(): Promise<void> {
    this.#slot += 1 + this.#random.below(3);
    const point = { slot: this.#slot, hash: this.#random.hex(32) };
    const unseen = this.#random.below(5) === 0 ? this.#some() : [];
    const seen = this.#some().filter((hash) => !unseen.includes(hash));
    const { kind } = await this.#pool.confirm(
      { point, seen, unseen },
      { finalizeThreshold: 1 + this.#random.below(3), dropThreshold: 4 },
    );
    if (kind === 'applied') this.#points.push(point);
  }

  async #undo(): Promise<void> {
    const depth = 1 + this.#random.below(3);
    const target = this.#points.at(-1 - depth);
    if (target === undefined) return;
    const { kind } = await this.#pool.rollback(target);
    if (kind === 'rolled-back') this.#points.splice(-depth);
  }

  /** Mostly young ones, so that most are live. */
  #some(): string[] {
    const hashes = Array.from({ length: 1 + this.#random.below(6) }, () => this.#made - 1 - this.#random.below(25));
    return [...new Set(hashes.filter((n) => n >= 0).map(hashOf))];
  }
}

/** All events of the pool so far. */
export async function allEvents(pool: Mempool): Promise<MempoolEvent[]> {
  const { lastEventSeq } = await pool.usage();
  const events: MempoolEvent[] = [];
  if (lastEventSeq === 0) return events;
  for await (const event of await pool.subscribe({ after: 'origin' })) {
    events.push(event);
    if (event.kind !== 'lagged' && event.eventSeq >= lastEventSeq) break;
  }
  return events;
}

function hashOf(n: number): string {
  return n.toString(16).padStart(64, '0');
}
