import type {
  Block,
  ChainPoint,
  DropReason,
  OpenOptions,
  Policy,
  RollbackTarget,
  Stage,
  Transaction,
  TransactionStatus,
  WriteOptions,
} from 'mempool-core';
import { type Call, perform } from '../case/call.ts';
import { Random } from '../case/random.ts';
import { Model, type ModelOptions } from '../model/model.ts';

/** A history and the hashes that occur in it. */
export interface Universe {
  readonly hashes: readonly string[];
  readonly calls: readonly Call[];
}

/** Options of a small pool, so that a few hundred calls trim the log, exceed the depth of a rollback and make transactions final. */
export const historyOptions: ModelOptions & OpenOptions = {
  finalizeThreshold: 3,
  dropThreshold: 2,
  maxFinalized: 6,
  maxRollback: 5,
};

/** Few hashes, so that each has several lives; of several lengths, so that a store which confuses them fails. */
const hashCount = 12;
const hashBytes = [32, 32, 32, 1, 20, 33, 64] as const;
const maxPayloadBytes = 24;
const thresholds = [1, 1, 2, 2, 3, 6, Number.POSITIVE_INFINITY] as const;

/** How often each verb comes, in a hundred calls. */
const weights: readonly (readonly [Call['verb'], number])[] = [
  ['receive', 22],
  ['markInflight', 19],
  ['markAcknowledged', 12],
  ['complete', 3],
  ['release', 5],
  ['drop', 5],
  ['confirm', 23],
  ['rollback', 11],
];

const reasons: readonly DropReason[] = ['failed', 'expired', { app: 'ünwanted — 不要' }];

/** The stages from which a verb moves a transaction. */
const moved: Readonly<Record<'markInflight' | 'markAcknowledged' | 'complete' | 'release', readonly Stage[]>> = {
  markInflight: ['Pending'],
  markAcknowledged: ['Propagated'],
  complete: ['Propagated', 'Acknowledged'],
  release: ['Propagated', 'Acknowledged'],
};

/** Equal seeds give equal histories. */
export async function makeHistory(seed: number, steps: number, options: ModelOptions): Promise<Universe> {
  const random = new Random(seed);
  const hashes = historyHashes(random);
  const maker = new CallMaker(random, hashes);
  const model = new Model(options);
  const calls: Call[] = [];
  while (calls.length < steps) {
    const call = maker.next(model);
    calls.push(call);
    await perform(model, call);
  }
  return { hashes, calls };
}

export function historyHashes(random: Random): string[] {
  return Array.from({ length: hashCount }, (_, i) => random.hex(hashBytes[i % hashBytes.length] ?? 32));
}

/** Chooses random calls that suit a state: most blocks follow the tip, most rollbacks go to an applied block. */
export class CallMaker {
  readonly #random: Random;
  readonly #hashes: readonly string[];
  /** Every point used so far, so that repeats, forks and forgotten points occur. */
  readonly #points: ChainPoint[] = [];
  readonly #named: Call[] = [];

  constructor(random: Random, hashes: readonly string[]) {
    this.#random = random;
    this.#hashes = hashes;
  }

  next(model: Model): Call {
    const repeated = this.#named.length > 0 && this.#percent(6) ? this.#random.pick(this.#named) : undefined;
    if (repeated !== undefined && this.#percent(80)) return repeated;
    const id = repeated?.args.at(-1) as WriteOptions | undefined;
    const options = id ?? (this.#percent(25) ? { operationId: `operation ${this.#named.length}` } : {});
    const call = this.#call(this.#verb(), model, options);
    if (id === undefined && options.operationId !== undefined) this.#named.push(call);
    return call;
  }

  #verb(): Call['verb'] {
    let ticket = this.#random.below(100);
    for (const [verb, weight] of weights) {
      ticket -= weight;
      if (ticket < 0) return verb;
    }
    return 'receive';
  }

  #call(verb: Call['verb'], model: Model, options: WriteOptions): Call {
    switch (verb) {
      case 'receive':
        return { verb, args: [this.#some(4).map((hash) => this.#transaction(hash)), options] };
      case 'markInflight':
      case 'markAcknowledged':
      case 'complete':
      case 'release':
        return { verb, args: [this.#fitting(5, moved[verb], model), options] };
      case 'drop':
        return { verb, args: [this.#some(2), this.#random.pick(reasons), options] };
      case 'confirm':
        return { verb, args: [this.#block(model), this.#policy(), options] };
      case 'rollback':
        return { verb, args: [this.#target(model), options] };
    }
  }

  #some(max: number): string[] {
    return Array.from({ length: this.#random.below(max + 1) }, () => this.#random.pick(this.#hashes));
  }

  /** Mostly hashes that the verb moves: else few would ever be Acknowledged. */
  #fitting(max: number, stages: readonly TransactionStatus['stage'][], model: Model): string[] {
    const known = model.status(this.#hashes).filter(({ stage }) => stages.includes(stage));
    return this.#some(max).map((hash) =>
      known.length > 0 && this.#percent(75) ? this.#random.pick(known).hash : hash,
    );
  }

  #transaction(hash: string): Transaction {
    const payload = this.#random.bytes(this.#random.below(maxPayloadBytes + 1));
    return { hash, payload, payloadType: this.#random.pick([0, 6, 65_535]) };
  }

  #block(model: Model): Block {
    const point = this.#points.length > 0 && this.#percent(15) ? this.#random.pick(this.#points) : this.#newPoint();
    const parent = this.#parent(model);
    const lists = { seen: this.#some(3), unseen: this.#percent(30) ? this.#some(2) : [] };
    return parent === null ? { point, ...lists } : { point, parent, ...lists };
  }

  #newPoint(): ChainPoint {
    const last = this.#points.at(-1)?.slot ?? 0;
    const point = { slot: Math.max(0, last - 5 + this.#random.below(40)), hash: this.#random.hex(32) };
    this.#points.push(point);
    return point;
  }

  #parent(model: Model): string | null {
    if (this.#percent(30)) return null;
    if (this.#percent(15)) return this.#random.hex(32);
    return model.tip().point?.hash ?? this.#random.hex(32);
  }

  #policy(): Policy {
    if (this.#percent(60)) return {};
    const policy = { finalizeThreshold: this.#random.pick(thresholds), dropThreshold: this.#random.pick(thresholds) };
    return this.#percent(50) ? policy : { dropThreshold: policy.dropThreshold };
  }

  #target(model: Model): RollbackTarget {
    if (this.#percent(8)) return 'origin';
    const kept = model.tip({ points: Number.MAX_SAFE_INTEGER }).points;
    if (kept.length > 0 && this.#percent(80)) return this.#random.pick(kept);
    if (this.#points.length > 0 && this.#percent(70)) return this.#random.pick(this.#points);
    return { slot: this.#random.below(1_000), hash: this.#random.hex(32) };
  }

  #percent(share: number): boolean {
    return this.#random.below(100) < share;
  }
}
