import type { Sweep } from 'mempool-core';
import type { Mutant } from './mutant.ts';
import { arrivals } from './stores.ts';

type Ending = 'markAcknowledged' | 'release' | 'drop' | 'seen' | 'unseen';

/** Leases kept beside the store, which all but one of the verbs end. */
function outliving(id: string, forgotten: Ending): Mutant {
  return arrivals.plant(id, (store, { options: { now = Date.now } }) => {
    const ends = new Map<string, number>();
    const end = (verb: Ending | 'sweep', hashes: readonly string[]): void => {
      if (verb !== forgotten) for (const hash of hashes) ends.delete(hash);
    };
    const ending =
      <Rest extends readonly unknown[], Told>(verb: Ending, call: (hashes: readonly string[], ...rest: Rest) => Told) =>
      (hashes: readonly string[], ...rest: Rest): Told => {
        end(verb, hashes);
        return call(hashes, ...rest);
      };
    return {
      async take(...given) {
        const lot = await store.take(...given);
        for (const { hash } of lot.transactions) ends.set(hash, lot.untilMs);
        return lot;
      },
      markAcknowledged: ending('markAcknowledged', store.markAcknowledged.bind(store)),
      release: ending('release', store.release.bind(store)),
      drop: ending('drop', store.drop.bind(store)),
      confirm(block, ...rest) {
        end('seen', block.seen);
        end('unseen', block.unseen);
        return store.confirm(block, ...rest);
      },
      async sweep(options) {
        const swept = await store.sweep(options);
        end('sweep', swept.returned);
        const late = [...ends].filter(([, untilMs]) => untilMs < now()).map(([hash]) => hash);
        return { ...swept, returned: [...swept.returned, ...(await store.release(late))] };
      },
    };
  });
}

/** A fault in what a sweep tells. */
function swept(id: string, change: (swept: Sweep) => Partial<Sweep>): Mutant {
  return arrivals.told(id, { sweep: (told) => change(told) });
}

/** P18: what is taken in order of arrival. */
export const arrivalLeaseMutants: readonly Mutant[] = [
  outliving('acknowledging-ends-no-lease-of-arrivals', 'markAcknowledged'),
  outliving('releasing-ends-no-lease-of-arrivals', 'release'),
  outliving('dropping-ends-no-lease-of-arrivals', 'drop'),
  outliving('a-block-ends-no-lease-of-arrivals', 'seen'),
  outliving('a-taking-back-ends-no-lease-of-arrivals', 'unseen'),
  arrivals.around('leases-of-arrivals-end-by-seq', {
    sweep: async ({ store, given }) => {
      const seqs = new Map((await store.peekInflight({ limit: 1_000 })).map(({ hash, seq }) => [hash, seq]));
      const told = await store.sweep(...given);
      return { ...told, returned: told.returned.toSorted((a, b) => (seqs.get(a) ?? 0) - (seqs.get(b) ?? 0)) };
    },
  }),
  swept('last-ended-leases-of-arrivals-first', ({ returned }) => ({ returned: returned.toReversed() })),
  swept('a-thousand-arrivals-are-always-more', ({ returned }) => ({ more: returned.length === 1_000 })),
  swept('arrivals-swept-without-more', () => ({ more: false })),
  // A verb that keeps no record of its operation id.
  arrivals.around('sweeps-of-arrivals-not-recorded', {
    sweep: ({ store, given: [{ operationId: _, ...options } = {}] }) => store.sweep(options),
  }),
  arrivals.around('flushes-of-arrivals-not-recorded', {
    flush: ({ store, given: [{ operationId: _, ...options } = {}] }) => store.flush(options),
  }),
  arrivals.around('limits-of-arrivals-not-recorded', {
    setLimits: ({ store, given: [limits, { operationId: _, ...options } = {}] }) => store.setLimits(limits, options),
  }),
];
