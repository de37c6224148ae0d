import type { Claim, MempoolStore, OpenOptions, Sweep, Transaction } from 'mempool-core';

/** Opens a node of the check's own pool, in order of arrival. */
export type OpenFifo = (options?: OpenOptions) => Promise<MempoolStore>;

/** One promise of the verbs that a pool in order of arrival has beside those of the lifecycle. */
export interface FifoCheck {
  readonly title: string;
  run(open: OpenFifo): Promise<void>;
}

type Run = (store: MempoolStore) => Promise<void>;

/** A check on one node. */
export function check(title: string, run: Run, options: OpenOptions = {}): FifoCheck {
  return {
    title,
    async run(open) {
      await using store = await open(options);
      await run(store);
    },
  };
}

/** The same with a limit. */
export function limited(title: string, maxTxs: number, run: Run): FifoCheck {
  return check(title, run, { maxTxs });
}

/** The same with a clock, which stands at 1,000 until it is set. */
export function timed(title: string, run: (store: MempoolStore, clock: { now: number }) => Promise<void>): FifoCheck {
  return {
    title,
    async run(open) {
      const clock = { now: 1_000 };
      await using store = await open({ now: () => clock.now });
      await run(store, clock);
    },
  };
}

/** Hashes of one, two and more bytes: a store that compares them as numbers or as text of one length would show it. */
export function hashOf(n: number): string {
  return n % 3 === 0 ? n.toString(16).padStart(64, '0') : (n + 256).toString(16).padStart(4, '0');
}

export function hashes(...numbers: readonly number[]): string[] {
  return numbers.map(hashOf);
}

/** With a payload of as many bytes as asked for. */
export function transaction(n: number, bytes = 10): Transaction {
  return { hash: hashOf(n), payload: Buffer.alloc(bytes, n), payloadType: n };
}

/** Receives the numbers 1…count, whose seqs they then are. */
export async function fill(store: MempoolStore, count: number, bytes?: (n: number) => number): Promise<void> {
  const all = Array.from({ length: count }, (_, i) => transaction(i + 1, bytes?.(i + 1)));
  for (let from = 0; from < count; from += 1_000) await store.receive(all.slice(from, from + 1_000));
}

export function hashesOf(lot: Pick<Claim, 'transactions'>): string[] {
  return lot.transactions.map(({ hash }) => hash);
}

export function swept(...returned: readonly string[]): Sweep {
  return { returned, woken: [], expired: [], evicted: [], more: false };
}

export async function stages(store: MempoolStore, ...numbers: readonly number[]): Promise<string[]> {
  return (await store.checkStatus(hashes(...numbers))).map(({ stage }) => stage);
}

export const point = { slot: 1, hash: 'ab'.repeat(32) } as const;
