import type { Block, ChainPoint, DropReason, Policy, RollbackTarget, WriteOptions } from 'mempool-core';
import type { Random } from '../../case/random.ts';
import type { Budget, Limits, Revision, Submission, Verdict } from '../../model/priority/entry.ts';
import type { PoolModel } from '../../model/priority/model.ts';
import { mixed } from './altered.ts';
import type { HistoryCall, HistoryClock, HistoryMove } from './call.ts';
import { otherLimits, usualLimits } from './limits.ts';

const two53 = 2n ** 53n;
const two63 = 2n ** 63n;
/** Mostly equal ones; neighbours that a double cannot tell apart; the lowest and the highest. */
const priorities: readonly bigint[] = [
  ...[0n, 0n, 1n, 5n, 5n, 10n, 10n, 11n, 12n, 100n, 110n, 111n, -1n, -10n],
  ...[two53 - 1n, two53, two53 + 1n, two63 - 1n, two63 - 2n, -two63, -two63 + 1n],
];

/** Mostly small ones, beside a floor of 1 or 11; the highest. */
const tips: readonly bigint[] = [0n, 1n, 1n, 4n, 5n, 9n, 10n, 100n, two53, two63 - 1n];

export const historyPeers: readonly [string, string, string] = ['peer-1', 'peer-2', 'ü'.repeat(120)];
export const namedSenders: readonly [string, string] = ['ann', '不要'.repeat(60)];
const senders = ['', '', ...namedSenders] as const;
/** Two that only their last character tells apart. */
export const historyTags: readonly [string, ...string[]] = [
  ...(['t0', 't1', 't2', 't3'] as const),
  ...['4', '5'].map((last) => 'é'.repeat(255) + last),
];
const reasons: readonly DropReason[] = ['failed', { app: 'ünwanted — 不要' }, { app: '不'.repeat(256) }];
const owners = ['node-1', 'o'.repeat(128)] as const;
const thresholds = [1, 2, 3, Number.POSITIVE_INFINITY] as const;
const maxPayloadBytes = 32;
const largePayloads = [4_097, 70_000] as const;
/** The largest number that a caller can give. */
const most = Number.MAX_SAFE_INTEGER;
/** Pairs of operation ids that a store may take for one. */
const idPairs: readonly ((base: string) => readonly [string, string])[] = [
  (base) => [`op ${base}`, `OP ${base}`],
  (base) => [base, ` ${base}`],
  (base) => [`0${base}`, `0${base}.0`],
  (base) => [`{${base}}:*`, `{${base}}:"`],
  (base) => [`${base.padEnd(127, '~')}a`, `${base.padEnd(127, '~')}b`],
  (base) => [`a${base.padStart(127, '~')}`, `b${base.padStart(127, '~')}`],
];
/** Only the last calls with an operation id are repeated: a store remembers so many. */
const maxNamed = 30;

/** The verbs that a history calls: those of a priority pool, of a fifo pool, or of a fifo pool without the optional verbs (P18). */
export type HistoryScope = 'priority' | 'fifo' | 'basic';

/** How often each verb comes, in a hundred calls. */
const weights: readonly (readonly [HistoryCall['verb'], number])[] = [
  ['receive', 27],
  ['markInflight', 5],
  ['markAcknowledged', 4],
  ['complete', 2],
  ['release', 3],
  ['drop', 4],
  ['confirm', 12],
  ['rollback', 6],
  ['take', 8],
  ['extendClaim', 4],
  ['sweep', 6],
  ['revise', 8],
  ['flush', 1],
  ['setLimits', 5],
  ['dropBySender', 1],
  ['advance', 8],
  ['use', 3],
  ['reopen', 2],
];

const lifecycle: readonly HistoryCall['verb'][] = [
  ...([
    'receive',
    'markInflight',
    'markAcknowledged',
    'complete',
    'release',
    'drop',
    'confirm',
    'rollback',
    'advance',
    'use',
    'reopen',
  ] as const),
];
const ranked: readonly HistoryCall['verb'][] = ['revise', 'dropBySender'];

const weightsOf: Readonly<Record<HistoryScope, typeof weights>> = {
  priority: weights,
  fifo: weights.filter(([verb]) => !ranked.includes(verb)),
  basic: weights.filter(([verb]) => lifecycle.includes(verb)),
};

type Named = Exclude<HistoryCall, HistoryMove>;

/** Chooses random calls that suit a state, from a few hashes, tags, senders and peers. */
export class CallMaker {
  readonly #random: Random;
  readonly #hashes: readonly string[];
  readonly #clock: HistoryClock;
  readonly #points: ChainPoint[] = [];
  readonly #named: Named[] = [];
  readonly #scope: HistoryScope;
  /** Whether the pool's thresholds are never reached. */
  readonly #isPatient: boolean;
  #ids = 0;
  #slot = 0;

  constructor(
    random: Random,
    {
      hashes,
      clock,
      scope,
      isPatient,
    }: {
      readonly hashes: readonly string[];
      readonly clock: HistoryClock;
      readonly scope: HistoryScope;
      readonly isPatient: boolean;
    },
  ) {
    this.#scope = scope;
    this.#isPatient = isPatient;
    this.#random = random;
    this.#hashes = hashes;
    this.#clock = clock;
  }

  next(model: PoolModel): HistoryCall {
    const repeated = this.#named.length > 0 && this.#percent(9) ? this.#random.pick(this.#named) : undefined;
    if (repeated !== undefined && this.#percent(50)) return repeated;
    if (repeated !== undefined && this.#percent(80)) return this.#altered(repeated, model);
    const verb = this.#verb();
    // Now and then the clock goes back (E5).
    if (verb === 'advance')
      return { verb, args: [this.#percent(15) ? -this.#random.below(60) : 1 + this.#random.below(90)] };
    if (verb === 'use') return { verb, args: [this.#random.below(3)] };
    if (verb === 'reopen') return { verb, args: [] };
    const old = (repeated?.args.at(-1) as WriteOptions | undefined)?.operationId;
    const needsId = verb === 'take' || this.#percent(25);
    const operationId = old ?? (needsId ? this.#newId() : undefined);
    const call = this.#call(verb, model, operationId === undefined ? {} : { operationId });
    if (old === undefined && operationId !== undefined) this.#named.push(call);
    if (this.#named.length > maxNamed) this.#named.shift();
    return call;
  }

  #newId(): string {
    const pair = this.#ids >> 1;
    const make = idPairs[pair % idPairs.length] as (typeof idPairs)[number];
    return make(String(pair))[this.#ids++ % 2] as string;
  }

  /** The same verb and operation id with one part of the arguments changed (X2). */
  #altered(call: Named, model: PoolModel): Named {
    const { operationId = '' } = call.args.at(-1) as WriteOptions;
    const other = this.#call(call.verb, model, { operationId });
    return { ...call, args: mixed(this.#random, call.args, other.args) } as Named;
  }

  #verb(): HistoryCall['verb'] {
    const own = weightsOf[this.#scope];
    let ticket = this.#random.below(own.reduce((sum, [, weight]) => sum + weight, 0));
    for (const [verb, weight] of own) {
      ticket -= weight;
      if (ticket < 0) return verb;
    }
    return 'receive';
  }

  #call(verb: Named['verb'], model: PoolModel, options: WriteOptions): Named {
    switch (verb) {
      case 'receive':
        return { verb, args: [this.#submissions(model), { ...this.#moment(model), ...options }] };
      case 'markInflight':
        return { verb, args: [this.#known(5, model), options] };
      case 'release':
        return { verb, args: [this.#known(5, model), { ...options, ...this.#guard(model), ...this.#later() }] };
      case 'markAcknowledged':
      case 'complete':
        return { verb, args: [this.#flying(5, model), { ...options, ...this.#guard(model) }] };
      case 'drop': {
        const reason = this.#random.pick(reasons);
        const hashes = this.#known(2, model);
        const descendants = this.#scope === 'priority' && hashes.length > 1 ? { descendants: true } : {};
        return { verb, args: [hashes, reason, { ...options, ...this.#guard(model), ...descendants }] };
      }
      case 'extendClaim': {
        const { claimMs } = this.#lease();
        return { verb, args: [this.#claimOf(model), claimMs, { ...this.#moment(model), ...options }] };
      }
      case 'confirm':
        return { verb, args: [this.#block(model), this.#policy(), options] };
      case 'rollback':
        return { verb, args: [this.#target(model), options] };
      case 'take':
        return { verb, args: [this.#budget(), { ...this.#lease(), ...this.#moment(model), ...options }] };
      case 'sweep':
        return { verb, args: [{ ...this.#moment(model), ...options, overLimits: this.#percent(50) }] };
      case 'revise':
        return { verb, args: [this.#revisions(model), { ...this.#moment(model), ...options }] };
      case 'flush':
        return { verb, args: [options] };
      case 'dropBySender':
        return { verb, args: [this.#random.pick(namedSenders), this.#random.pick(reasons), options] };
      case 'setLimits':
        return { verb, args: [this.#limits(), options] };
    }
  }

  /** P19: mostly none. */
  #guard(model: PoolModel): { readonly claim?: string } {
    return this.#scope !== 'basic' && this.#percent(25) ? { claim: this.#claimOf(model) } : {};
  }

  /** The id of a claim, mostly of one that holds something. */
  #claimOf(model: PoolModel): string {
    const ids = [...model.state.entries.values()].flatMap(({ claim }) => claim?.id ?? []);
    return ids.length > 0 && this.#percent(80) ? this.#random.pick(ids) : 'no claim';
  }

  /** P20: mostly a time that is near. */
  #later(): { readonly notBeforeMs?: number } {
    if (this.#scope === 'basic') return {};
    if (this.#percent(5)) return { notBeforeMs: most - this.#random.below(3) };
    return this.#percent(50) ? { notBeforeMs: this.#clock.nowMs + this.#random.below(200) - 20 } : {};
  }

  #some(max: number): string[] {
    return Array.from({ length: this.#random.below(max + 1) }, () => this.#random.pick(this.#hashes));
  }

  /** Mostly live ones. */
  #known(max: number, model: PoolModel): string[] {
    const live = [...model.state.pool.live.keys()];
    return this.#some(max).map((hash) => (live.length > 0 && this.#percent(75) ? this.#random.pick(live) : hash));
  }

  /** Mostly Propagated ones: else few would ever be Acknowledged. */
  #flying(max: number, model: PoolModel): string[] {
    const live = [...model.state.pool.live.values()].filter(({ stage }) => stage === 'Propagated');
    return this.#known(max, model).map((hash) =>
      live.length > 0 && this.#percent(80) ? this.#random.pick(live).hash : hash,
    );
  }

  #tags(shares: readonly number[]): string[] {
    const count = this.#random.pick(shares);
    return Array.from({ length: count }, () => this.#random.pick(historyTags));
  }

  /** Mostly tags that a Pending transaction provides, so that chains and stars grow. */
  #required(model: PoolModel): string[] {
    const { live } = model.state.pool;
    const offered = [...model.state.entries].flatMap(([hash, { verdict }]) =>
      live.get(hash)?.stage === 'Pending' ? verdict.provides : [],
    );
    return this.#tags([0, 0, 1, 1, 2]).map((tag) =>
      offered.length > 0 && this.#percent(60) ? this.#random.pick(offered) : tag,
    );
  }

  #moment(model: PoolModel): { now?: number; height?: number } {
    if (this.#scope === 'basic') return {};
    const { tick } = model.reader().tip();
    const now = this.#percent(10) ? { now: this.#clock.nowMs - 60 + this.#random.below(80) } : {};
    const height =
      this.#scope === 'priority' && this.#percent(10) ? { height: Math.max(0, tick - 3 + this.#random.below(6)) } : {};
    return { ...now, ...height };
  }

  #submissions(model: PoolModel): Submission[] {
    const count = this.#random.pick([1, 1, 1, 1, 2, 3, 4]);
    return Array.from({ length: count }, () => this.#submission(model));
  }

  #submission(model: PoolModel): Submission {
    const transaction = {
      hash: this.#random.pick(this.#hashes),
      payload: this.#payload(),
      payloadType: this.#random.pick([0, 6, 65_535]),
    };
    if (this.#scope !== 'priority') return transaction;
    const from = this.#percent(40) ? { from: this.#random.pick(historyPeers) } : {};
    if (this.#percent(5)) return { ...transaction, ...from };
    const verdict = this.#verdict(model, this.#tags([0, 1, 1, 1, 2]));
    return { ...transaction, ...from, verdict };
  }

  #payload(): Uint8Array {
    if (this.#percent(97)) return this.#random.bytes(this.#random.below(maxPayloadBytes + 1));
    return new Uint8Array(this.#random.pick(largePayloads)).fill(this.#random.below(256));
  }

  #verdict(model: PoolModel, provides: readonly string[]): Verdict {
    const { tick } = model.reader().tip();
    const priority = this.#random.pick(priorities);
    const price = this.#percent(30) ? { maxPriority: priority, tip: this.#random.pick(tips) } : { priority };
    return {
      ...price,
      sender: this.#random.pick(senders),
      provides,
      requires: this.#required(model),
      gas: this.#random.pick([0, 1, 1, 2, 3, 5, 8, 9, 10]),
      ...(this.#percent(10) ? { senderLimit: 1 + this.#random.below(3) } : {}),
      ...(this.#percent(8) ? { expiresAt: this.#expiry() } : {}),
      ...(this.#percent(8) ? { expiresAtHeight: tick + this.#random.below(6) } : {}),
      ...(this.#percent(10) ? { propagate: false } : {}),
      ...(this.#percent(12) ? { protected: true } : {}),
    };
  }

  #expiry(): number {
    return this.#percent(20) ? most : this.#clock.nowMs - 20 + this.#random.below(300);
  }

  #block(model: PoolModel): Block {
    const kept = model.reader().tip({ points: Number.MAX_SAFE_INTEGER }).points;
    const used = this.#percent(70) ? kept : this.#points;
    const point = used.length > 0 && this.#percent(12) ? this.#nearly(this.#random.pick(used)) : this.#newPoint();
    const parent = this.#percent(10) ? this.#random.hex(32) : model.reader().tip().point?.hash;
    const seen = this.#percent(40) ? this.#some(3) : this.#known(1, model);
    const lists = { seen, unseen: this.#percent(40) ? this.#known(3, model) : [] };
    const provides = this.#scope === 'priority' && this.#percent(50) ? { provides: this.#tags([1, 2]) } : {};
    return this.#percent(30) || parent === undefined
      ? { point, ...lists, ...provides }
      : { point, parent, ...lists, ...provides };
  }

  /** Mostly the point itself; else one that shares its hash or its slot. */
  #nearly(point: ChainPoint): ChainPoint {
    if (this.#percent(75)) return point;
    return this.#percent(50) ? { ...point, slot: Math.abs(point.slot - 1) } : { ...point, hash: this.#random.hex(32) };
  }

  #newPoint(): ChainPoint {
    const isFirst = this.#points.length === 0 && this.#percent(50);
    this.#slot += isFirst ? 0 : this.#random.below(40);
    const isFar = this.#percent(5);
    const slot = isFar ? most - this.#random.below(3) : this.#slot;
    const point = { slot, hash: this.#random.hex(32) };
    this.#points.push(point);
    if (this.#points.length > 40) this.#points.shift();
    return point;
  }

  #policy(): Policy {
    if (this.#percent(this.#isPatient ? 97 : 70)) return {};
    return { finalizeThreshold: this.#random.pick(thresholds), dropThreshold: this.#random.pick(thresholds) };
  }

  #target(model: PoolModel): RollbackTarget {
    if (this.#percent(10)) return 'origin';
    const kept = model.reader().tip({ points: Number.MAX_SAFE_INTEGER }).points;
    if (kept.length > 0 && this.#percent(85)) return this.#nearly(this.#random.pick(kept));
    if (this.#points.length > 0 && this.#percent(70)) return this.#random.pick(this.#points);
    return { slot: this.#random.below(1_000), hash: this.#random.hex(32) };
  }

  #budget(): Budget {
    return {
      ...(this.#percent(60) ? { maxTxs: this.#random.below(4) } : {}),
      ...(this.#percent(30) ? { maxBytes: this.#random.below(90), overheadBytes: this.#random.below(4) } : {}),
      ...(this.#percent(45) ? { maxGas: this.#random.below(16), skip: this.#random.below(3) } : {}),
    };
  }

  #lease(): { owner: string; claimMs: number } {
    return { owner: this.#random.pick(owners), claimMs: this.#percent(3) ? 2 ** 40 : 1 + this.#random.below(120) };
  }

  #revisions(model: PoolModel): Revision[] {
    const waiting = [...model.state.pool.live.values()].filter(({ stage }) => stage === 'Pending');
    const isWaiting = waiting.length > 0 && this.#percent(80);
    const named = isWaiting ? this.#some(4).map(() => this.#random.pick(waiting).hash) : this.#some(4);
    const hashes = this.#percent(5) ? named : [...new Set(named)];
    return hashes.map((hash) => {
      const { entries } = model.state;
      const version = (entries.get(hash)?.version ?? 1) - (this.#percent(12) ? 1 : 0);
      if (this.#percent(12)) return { hash, version, answer: { code: 1, log: 'no', penalize: false } };
      const { provides = [], sender = '' } = this.#percent(3) ? {} : (entries.get(hash)?.verdict ?? {});
      return { hash, version, answer: { ...this.#verdict(model, provides), sender } };
    });
  }

  #limits(): Partial<Limits> {
    if (this.#scope !== 'priority') return this.#fifoLimits();
    if (this.#percent(35)) return usualLimits;
    const names = Object.keys(otherLimits) as (keyof Limits)[];
    const chosen = Array.from({ length: 1 + this.#random.below(3) }, () => this.#random.pick(names));
    return Object.fromEntries(chosen.map((name) => [name, this.#random.pick<unknown>(otherLimits[name])]));
  }

  #fifoLimits(): Partial<Limits> {
    return { maxTxs: this.#percent(60) ? Number.POSITIVE_INFINITY : this.#random.below(10) };
  }

  #percent(share: number): boolean {
    return this.#random.below(100) < share;
  }
}

/** A point that no history has. */
const last = { slot: most, hash: 'ff'.repeat(32) };

/** Calls that empty the pool: nothing is live then, and no log entry requires a tag. */
export function drainCalls(hashes: readonly string[], maxFinalized: number, scope: HistoryScope): HistoryCall[] {
  if (scope !== 'priority') return [];
  const fillers = Array.from({ length: maxFinalized }, (_, i) => ({
    hash: i.toString(16).padStart(128, '0'),
    payload: new Uint8Array(0),
    payloadType: 0,
  }));
  const unseen = [...hashes];
  return [
    { verb: 'setLimits', args: [{ maxTxs: 1_000, maxBytes: 1_000_000, minPriority: -two63, eviction: 'lowest' }] },
    { verb: 'rollback', args: ['origin'] },
    { verb: 'confirm', args: [{ point: last, seen: [], unseen }, { finalizeThreshold: Number.POSITIVE_INFINITY }] },
    { verb: 'rollback', args: ['origin'] },
    { verb: 'release', args: [hashes] },
    { verb: 'flush', args: [{}] },
    { verb: 'receive', args: [fillers] },
    { verb: 'flush', args: [{ operationId: 'drained' }] },
  ];
}
