import type { MempoolStore, Sweep } from 'mempool-core';
import type { Mutant } from './mutant.ts';
import { arriving } from './priority-arrival.ts';

type Ending = 'markAcknowledged' | 'release' | 'drop' | 'seen' | 'unseen';

const all: readonly Ending[] = ['markAcknowledged', 'release', 'drop', 'seen', 'unseen'];

/** Leases kept beside the store, which all but one of the verbs end. */
function outliving(id: string, forgotten: Ending): Mutant {
  return arriving(id, (store, { now = Date.now }) => {
    const ends = new Map<string, number>();
    const end = (verb: Ending, hashes: readonly string[]): void => {
      if (verb !== forgotten) for (const hash of hashes) ends.delete(hash);
    };
    return {
      async take(budget, options) {
        const lot = await store.take(budget, options);
        for (const { hash } of lot.transactions) ends.set(hash, lot.untilMs);
        return lot;
      },
      markAcknowledged: (hashes, options) =>
        noted(end, 'markAcknowledged', hashes, store.markAcknowledged(hashes, options)),
      release: (hashes, options) => noted(end, 'release', hashes, store.release(hashes, options)),
      drop: (hashes, ...rest) => noted(end, 'drop', hashes, store.drop(hashes, ...rest)),
      confirm(block, ...rest) {
        end('seen', block.seen);
        end('unseen', block.unseen);
        return store.confirm(block, ...rest);
      },
      async sweep(options) {
        const swept = await store.sweep(options);
        end(all.find((verb) => verb !== forgotten) ?? 'drop', swept.returned);
        const late = [...ends].filter(([, untilMs]) => untilMs < now()).map(([hash]) => hash);
        return { ...swept, returned: [...swept.returned, ...(await store.release(late))] };
      },
    };
  });
}

function noted<T>(
  end: (verb: Ending, hashes: readonly string[]) => void,
  verb: Ending,
  hashes: readonly string[],
  answer: T,
): T {
  end(verb, hashes);
  return answer;
}

/** A fault in what a sweep tells. */
function swept(id: string, change: (swept: Sweep, seqs: ReadonlyMap<string, number>) => Partial<Sweep>): Mutant {
  return arriving(id, (store) => ({
    async sweep(options) {
      const seqs = new Map((await store.peekInflight({ limit: 1_000 })).map(({ hash, seq }) => [hash, seq]));
      const told = await store.sweep(options);
      return { ...told, ...change(told, seqs) };
    },
  }));
}

/** A verb that keeps no record of its operation id. */
function unrecorded(id: string, plant: (store: MempoolStore) => Partial<MempoolStore>): Mutant {
  return arriving(id, plant);
}

/** P18: what is taken in order of arrival. */
export const arrivalLeaseMutants: readonly Mutant[] = [
  outliving('acknowledging-ends-no-lease-of-arrivals', 'markAcknowledged'),
  outliving('releasing-ends-no-lease-of-arrivals', 'release'),
  outliving('dropping-ends-no-lease-of-arrivals', 'drop'),
  outliving('a-block-ends-no-lease-of-arrivals', 'seen'),
  outliving('a-taking-back-ends-no-lease-of-arrivals', 'unseen'),
  swept('leases-of-arrivals-end-by-seq', ({ returned }, seqs) => ({
    returned: returned.toSorted((a, b) => (seqs.get(a) ?? 0) - (seqs.get(b) ?? 0)),
  })),
  swept('last-ended-leases-of-arrivals-first', ({ returned }) => ({ returned: returned.toReversed() })),
  swept('a-thousand-arrivals-are-always-more', ({ returned }) => ({ more: returned.length === 1_000 })),
  swept('arrivals-swept-without-more', () => ({ more: false })),
  unrecorded('sweeps-of-arrivals-not-recorded', (store) => ({
    sweep: ({ operationId: _, ...options } = {}) => store.sweep(options),
  })),
  unrecorded('flushes-of-arrivals-not-recorded', (store) => ({
    flush: ({ operationId: _, ...options } = {}) => store.flush(options),
  })),
  unrecorded('limits-of-arrivals-not-recorded', (store) => ({
    setLimits: (limits, { operationId: _, ...options } = {}) => store.setLimits(limits, options),
  })),
];
