import type { Transfer } from './transfer.ts';

const senders = 60;

/** The same transfers in each run: many in the first half, few in the second. */
export class Traffic {
  readonly #nonces = new Map<string, number>();
  #state = 1;

  wave(block: number): Transfer[] {
    return Array.from({ length: block <= 6 ? 16 : 3 }, () => this.#transfer());
  }

  /** The wallet begins again with the nonce of a transfer that failed. */
  resume({ sender, nonce }: Transfer): void {
    this.#nonces.set(sender, Math.min(nonce, this.#nonces.get(sender) ?? 0));
  }

  #transfer(): Transfer {
    const sender = `sender ${this.#below(senders)}`;
    const nonce = this.#nonces.get(sender) ?? 0;
    this.#nonces.set(sender, nonce + 1);
    const [maxFee, gas] = [100 + this.#below(120), 21_000 + this.#below(180_000)];
    return { sender, nonce, maxFee, gas, fails: this.#below(20) === 0 };
  }

  /** A number from 0 to `count` − 1 (mulberry32). */
  #below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  }
}
