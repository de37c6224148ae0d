import assert from 'node:assert/strict';
import type { Floor, OpenOptions, ReceiveOutcome } from 'mempool-core';
import { type IndexDump, poolState } from 'mempool-core/backend';
import type { CaseContext, ConformanceCase, Need } from '../case/case.ts';
import { type EachOf, eachOf, mustRank } from '../case/must.ts';
import type { TestedPool } from '../case/tested-pool.ts';
import { type CaseClock, startMs, TimedPool } from './on-pool.ts';
import { hashesOf } from './pool.ts';

export type Submission = Parameters<TestedPool['receive']>[0][number];
export type Verdict = NonNullable<Submission['verdict']>;
export type CallTime = Pick<NonNullable<Parameters<TestedPool['receive']>[1]>, 'now' | 'height' | 'operationId'>;
/** The state of a pool without its content. */
export type PoolDump = IndexDump;

export async function indexesOf(store: TestedPool): Promise<PoolDump> {
  const { ordering: _, content: __, ...indexes } = await poolState(store);
  return indexes;
}

export type DumpedEntry = PoolDump['entries'][number];
export type Place = NonNullable<DumpedEntry['place']>;
type Refusal = Exclude<ReceiveOutcome, { readonly kind: 'received' | 'duplicate' }>;
/** The fields of a refusal without the hash. */
export type Refused = Refusal extends infer R ? (R extends Refusal ? Omit<R, 'hash'> : never) : never;

/** The floor of a pool that this priority and higher ones can enter. */
export function atLeast(priority: bigint): Floor {
  return { kind: 'at-least', priority };
}

export const minPriority: bigint = -(2n ** 63n);
export const maxPriority: bigint = 2n ** 63n - 1n;

/** A case's description of a transaction: its verdict, its size and the peer it came from. */
export interface Draft extends Verdict {
  /** Of the payload; default 20. */
  readonly bytes?: number;
  readonly from?: string;
}

export type Drafts = Readonly<Record<string, Draft>>;

/** Short names of transactions, so that a case can say `a` and `b`. */
class Names {
  readonly #context: CaseContext;
  readonly #hashes = new Map<string, string>();
  readonly #names = new Map<string, string>();

  constructor(context: CaseContext) {
    this.#context = context;
  }

  hash(name: string): string {
    const known = this.#hashes.get(name);
    if (known !== undefined) return known;
    const hash = this.#context.random.hex(32);
    this.#hashes.set(name, hash);
    this.#names.set(hash, name);
    return hash;
  }

  name(hash: string): string {
    return this.#names.get(hash) ?? `unknown ${hash}`;
  }
}

/** Opens the case's priority pool, with a clock that only the case moves. */
export async function openScene(context: CaseContext, options: OpenOptions = {}): Promise<Scene> {
  const clock = { nowMs: startMs };
  const store = await openNode(context, clock, options);
  return new Scene(context, store, clock, new Names(context));
}

type OnScene = (scene: Scene, context: CaseContext) => Promise<void>;

/** A case on one priority pool that is open when the case begins. */
export function onPriorityPool(id: string, title: string, run: OnScene, needs: readonly Need[] = []): ConformanceCase {
  return mustRank(id, title, async (context) => run(await openScene(context), context), needs);
}

export const eachOnPriorityPool: EachOf<OnScene> = eachOf(onPriorityPool);

function openNode({ open }: CaseContext, clock: CaseClock, options: OpenOptions): Promise<TestedPool> {
  return open({ ordering: 'priority', now: () => clock.nowMs, ...options });
}

/** A priority pool whose transactions have names. */
export class Scene extends TimedPool {
  readonly #names: Names;

  constructor(context: CaseContext, store: TestedPool, clock: CaseClock, names: Names) {
    super(context, store, clock);
    this.#names = names;
  }

  override async another(options: OpenOptions = {}): Promise<Scene> {
    const store = await openNode(this.context, this.clock, options);
    return new Scene(this.context, store, this.clock, this.#names);
  }

  override hash(name: string): string {
    return this.#names.hash(name);
  }

  override name(hash: string): string {
    return this.#names.name(hash);
  }

  submission(name: string, { bytes = 20, from, ...verdict }: Draft = {}): Submission {
    const payload = new Uint8Array(bytes).fill(name.length);
    return { hash: this.hash(name), payload, payloadType: 0, verdict, ...(from === undefined ? {} : { from }) };
  }

  /** Receives one transaction. */
  async add(name: string, draft: Draft = {}, moment: CallTime = {}): Promise<ReceiveOutcome> {
    const [outcome] = await this.store.receive([this.submission(name, draft)], moment);
    assert.ok(outcome);
    return outcome;
  }

  /** Receives several in one call. */
  addAll(drafts: Drafts, moment: CallTime = {}): Promise<ReceiveOutcome[]> {
    const batch = Object.entries(drafts).map(([name, draft]) => this.submission(name, draft));
    return this.store.receive(batch, moment);
  }

  /** Receives several, each in a call of its own; each must be received. */
  async fill(drafts: Drafts): Promise<void> {
    for (const [name, draft] of Object.entries(drafts)) {
      const { kind } = await this.add(name, draft);
      assert.deepEqual([name, kind], [name, 'received']);
    }
  }

  /** The transaction must be refused in this way, and nothing at all may change. */
  async refuses(name: string, draft: Draft, refused: Refused): Promise<void> {
    await this.unchanged(async () => {
      assert.deepEqual(await this.add(name, draft), { ...refused, hash: this.hash(name) });
    });
  }

  /** All that two equal pools have in common. */
  override async whole(): Promise<readonly unknown[]> {
    const { store } = this;
    return Promise.all([poolState(store), store.usage(), store.tip({ points: 1_000 })]);
  }

  dump(): Promise<PoolDump> {
    return indexesOf(this.store);
  }

  /** All Pending ones, the parked ones last. */
  async order(): Promise<string[]> {
    return this.names((await this.dump()).order);
  }

  /** The ready ones, best first. */
  async ready(): Promise<string[]> {
    return this.names(await this.store.reap());
  }

  /** The parked ones, by seq. */
  async parked(): Promise<string[]> {
    return this.names((await this.store.peekParked({ limit: 1_000 })).transactions);
  }

  async entry(name: string): Promise<DumpedEntry> {
    const entry = (await this.dump()).entries.find(({ hash }) => hash === this.hash(name));
    assert.ok(entry, `no entry of ${name}`);
    return entry;
  }

  async place(name: string): Promise<Place | null> {
    return (await this.entry(name)).place;
  }

  async seq(name: string): Promise<number> {
    return (await this.entry(name)).seq;
  }

  async load(): Promise<NonNullable<Awaited<ReturnType<TestedPool['usage']>>['load']>> {
    const { load } = await this.store.usage();
    assert.ok(load, 'the usage of a priority pool has a load');
    return load;
  }

  /** The gossip for a peer that asks for everything. */
  async gossip(after?: string, except?: string): Promise<string[]> {
    return this.names(hashesOf((await this.store.since({ after, except, limit: 1_000 })).items));
  }
}

/** The tags of an account's transaction: it provides its nonce and requires the one before, except for the first. */
export function account(sender: string, nonce: number): Pick<Verdict, 'sender' | 'provides' | 'requires'> {
  const requires = nonce === 0 ? [] : [`${sender}:${nonce - 1}`];
  return { sender, provides: [`${sender}:${nonce}`], requires };
}

/** Transactions of one priority each, `t0`, `t1` …, in that order. */
export function ladder(priorities: readonly (bigint | number)[], more: Draft = {}): Drafts {
  return Object.fromEntries(priorities.map((priority, i) => [`t${i}`, { ...more, priority: BigInt(priority) }]));
}
