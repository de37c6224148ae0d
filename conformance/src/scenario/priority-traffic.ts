import type { Call } from '../case/call.ts';
import type { Random } from '../case/random.ts';
import { point } from './pool.ts';
import type { Submission } from './priority.ts';

const senders = 6;
const nonces = 8;

/** How often each verb is called, in a hundred calls. */
const shares: readonly (readonly [Call['verb'], number])[] = [
  ['receive', 52],
  ['markInflight', 12],
  ['markAcknowledged', 5],
  ['complete', 1],
  ['release', 8],
  ['drop', 6],
  ['confirm', 12],
  ['rollback', 4],
];

/** Random calls to a small priority pool: chains, gaps, replacements, evictions, spent tags and returns. */
export function makeCalls(random: Random, count: number): Call[] {
  const traffic = new Traffic(random);
  return Array.from({ length: count }, () => traffic.next());
}

class Traffic {
  readonly #random: Random;
  readonly #hashes: string[] = [];
  /** Blocks applied so far. */
  #height = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): Call {
    const verb = this.#verb();
    switch (verb) {
      case 'receive':
        return { verb, args: [Array.from({ length: 1 + this.#random.below(6) }, () => this.#submission())] };
      case 'markInflight':
      case 'markAcknowledged':
      case 'complete':
      case 'release':
        return { verb, args: [this.#some(8)] };
      case 'drop':
        return { verb, args: [this.#some(3), 'failed'] };
      case 'confirm':
        return this.#confirm();
      case 'rollback':
        return this.#rollback();
    }
  }

  #verb(): Call['verb'] {
    let ticket = this.#random.below(100);
    for (const [verb, share] of shares) {
      ticket -= share;
      if (ticket < 0) return verb;
    }
    return 'receive';
  }

  #confirm(): Call {
    this.#height += 1;
    const lists = { seen: this.#some(4), unseen: this.#some(2), provides: this.#some(2).map(() => this.#tag()) };
    const policy = { finalizeThreshold: 1 + this.#random.below(4), dropThreshold: 1 + this.#random.below(3) };
    return { verb: 'confirm', args: [{ point: point(this.#height), ...lists }, policy] };
  }

  #rollback(): Call {
    this.#height = Math.max(0, this.#height - 1 - this.#random.below(3));
    return { verb: 'rollback', args: [this.#height === 0 ? 'origin' : point(this.#height)] };
  }

  #submission(): Submission {
    const pick = (n: number): number => this.#random.below(n);
    const hash = pick(5) === 0 ? this.#known() : this.#fresh();
    const [sender, nonce] = [`s${pick(senders)}`, pick(nonces)];
    const requires = nonce === 0 ? [] : [`${sender}:${nonce - 1}`];
    const also = pick(6) === 0 ? [this.#tag()] : [];
    const verdict = {
      sender,
      priority: BigInt(pick(40)) - 5n,
      gas: pick(4),
      provides: [`${sender}:${nonce}`],
      requires: [...requires, ...also],
    };
    const payload = new Uint8Array(1 + pick(60)).fill(nonce);
    return { hash, payload, payloadType: nonce, verdict, from: `peer${pick(3)}` };
  }

  #tag(): string {
    return `s${this.#random.below(senders)}:${this.#random.below(nonces)}`;
  }

  #fresh(): string {
    const hash = this.#random.hex(16);
    this.#hashes.push(hash);
    return hash;
  }

  #known(): string {
    return this.#hashes.length === 0 ? this.#fresh() : this.#random.pick(this.#hashes);
  }

  /** The younger ones rather than the older. */
  #some(max: number): string[] {
    const recent = this.#hashes.slice(-60);
    if (recent.length === 0) return [];
    return [...new Set(Array.from({ length: this.#random.below(max + 1) }, () => this.#random.pick(recent)))];
  }
}
