import type { Mempool } from 'mempool-core';
import { type Agreement, type EpochRecord, type Namespace, prefixOf, recordNames } from 'mempool-sequencer';

/** The counts of the events of an epoch's pool, from the first to the last. */
export interface Told {
  readonly received: number;
  /** By hash: how many events end it. */
  readonly ends: ReadonlyMap<string, number>;
  /** By hash: where the last event leaves it. */
  readonly last: ReadonlyMap<string, { readonly stage: string; readonly reason: string }>;
}

/** The expected answer of a monitor about an epoch, in the words of its API. */
export interface Recount
  extends Pick<EpochRecord, 'epoch' | 'phase' | 'level1' | 'level2' | 'onchain' | 'reason' | 'root' | 'validators'> {
  /** The validators whose batch is here. */
  readonly batches: readonly string[];
  /** The validators whose batch counts in the agreement; `null`: there is none. */
  readonly included: readonly string[] | null;
  readonly submissions: {
    readonly received: number;
    readonly pending: number;
    readonly checking: number;
    readonly counted: number;
    readonly finalized: number;
    readonly dropped: Readonly<Record<string, number>>;
    readonly missed: number;
  };
}

/** Reads all events of a pool. @throws if some are gone */
export async function toldBy(pool: Mempool): Promise<Told> {
  const ends = new Map<string, number>();
  const last = new Map<string, { stage: string; reason: string }>();
  const { lastEventSeq } = await pool.usage();
  let received = 0;
  if (lastEventSeq === 0) return { received, ends, last };
  for await (const event of await pool.subscribe({ after: 'origin' })) {
    if (event.kind === 'lagged') throw new Error('events of an epoch are gone');
    if (event.kind === 'transaction') {
      const { hash, stage, cause, reason } = event;
      if (cause === 'received') received += 1;
      if (stage === 'Finalized' || stage === 'Dropped') ends.set(hash, (ends.get(hash) ?? 0) + 1);
      last.set(hash, { stage, reason: typeof reason === 'object' ? (reason?.app ?? '') : reason });
    }
    if (event.eventSeq >= lastEventSeq) break;
  }
  return { received, ends, last };
}

/** Counts the monitor's numbers of an epoch again, from the events and the records alone. */
export async function recountOf({ records }: Namespace, record: EpochRecord, told: Told): Promise<Recount> {
  const { epoch, phase, level1, level2, onchain, reason, root, validators } = record;
  const received = await records.list<{ readonly validator: string }>(prefixOf('received', epoch));
  const agreed = (await records.read<Agreement>(recordNames.agreed(epoch)))?.value;
  return {
    ...{ epoch, phase, level1, level2, onchain, reason, root, validators },
    batches: [...new Set(received.map(({ value }) => value.validator))].sort(),
    included: agreed === undefined || agreed.leaves.length === 0 ? null : agreed.validators,
    submissions: submissionsOf(told),
  };
}

function submissionsOf({ received, last }: Told): Recount['submissions'] {
  const all = [...last.values()];
  const count = (...wanted: string[]): number => all.filter(({ stage }) => wanted.includes(stage)).length;
  const dropped: Record<string, number> = {};
  for (const { stage, reason } of all) if (stage === 'Dropped') dropped[reason] = (dropped[reason] ?? 0) + 1;
  return {
    ...{ received, pending: count('Pending'), checking: count('Propagated'), finalized: count('Finalized') },
    ...{ counted: count('Acknowledged', 'Confirmed', 'Finalized'), dropped, missed: 0 },
  };
}
