import type { Agreement, Batch } from '../contract/batch.ts';
import type { EpochRecord } from '../contract/epoch.ts';
import { isEnded } from '../rules/phases.ts';
import { Epochs } from '../store/epochs.ts';
import { prefixOf, recordNames } from '../store/names.ts';
import type { Namespace } from '../store/namespace.ts';
import type { EpochRow } from './epoch-row.ts';
import { countedUpToNow, noSubmissions } from './submission-counts.ts';

type BatchFacts = Pick<EpochRow, 'batches' | 'included' | 'projects' | 'leftOut'>;

/** Reads the contents of an epoch's row from the namespace: its record, its batches, and the events of its pool. */
export class RowReader {
  readonly #namespace: Namespace;
  readonly #epochs: Epochs;
  readonly #signal: AbortSignal;

  constructor(namespace: Namespace, signal: AbortSignal) {
    this.#namespace = namespace;
    this.#epochs = new Epochs(namespace);
    this.#signal = signal;
  }

  /**
   * The row as it is now, going on from the one before. `isActive` was read earlier: what an ended epoch that nobody works on
   * has then, it keeps. `null`: there is no such epoch.
   */
  async read(epoch: number, before: EpochRow | null, isActive: boolean): Promise<EpochRow | null> {
    const record = await this.#epochs.find(epoch);
    // It is forgotten. Its counts stay.
    if (record === null) return before === null ? null : { ...before, isSettled: true };
    if (before?.isSettled === true && !isActive && record.phase === 'failed' && before.phase === 'failed')
      return before;
    const counts = await onPoolOf(this.#namespace, record, (pool) =>
      countedUpToNow(pool, before?.counts ?? noSubmissions, this.#signal),
    );
    const isSettled = isEnded(record.phase) && !isActive;
    const facts = mustLook(record, before, isSettled) ? await this.#batches(epoch) : batchFactsOf(before);
    return { ...factsOf(record), ...facts, counts, isSettled };
  }

  async #batches(epoch: number): Promise<BatchFacts> {
    const { records } = this.#namespace;
    const received = await records.list<Batch>(prefixOf('received', epoch));
    const batches = [...new Set(received.map(({ value }) => value.validator))].sort();
    const agreed = (await records.read<Agreement>(recordNames.agreed(epoch)))?.value ?? null;
    if (agreed === null || agreed.leaves.length === 0)
      return { batches, included: null, projects: null, leftOut: agreed?.leftOut.length ?? null };
    const { validators: included, leaves, leftOut } = agreed;
    return { batches, included, projects: leaves.length, leftOut: leftOut.length };
  }
}

/**
 * Gives the pool of an epoch to the work. If the epoch is forgotten meanwhile, its pool may be there again, because it was opened:
 * then it is removed.
 */
export async function onPoolOf<T>(
  namespace: Namespace,
  record: EpochRecord,
  work: Parameters<typeof namespace.withEpoch<T>>[1],
): Promise<T> {
  try {
    return await namespace.withEpoch(record, work);
  } finally {
    if ((await new Epochs(namespace).find(record.epoch)) === null) await namespace.removeEpoch(record.epoch);
  }
}

function factsOf(record: EpochRecord): Omit<EpochRow, keyof BatchFacts | 'counts' | 'isSettled'> {
  const { epoch, phase, level1, level2, onchain, reason, root, validators } = record;
  const { openedAt, closesAt, collectingAt, agreedAt, undoneAt, endedAt } = record;
  const times = { openedAt, closesAt, collectingAt, agreedAt, undoneAt, endedAt };
  return { epoch, phase, level1, level2, onchain, reason, root, validators, ...times };
}

function batchFactsOf(before: EpochRow | null): BatchFacts {
  if (before === null) return { batches: [], included: null, projects: null, leftOut: null };
  const { batches, included, projects, leftOut } = before;
  return { batches, included, projects, leftOut };
}

/** Batches may be large, so they are read only while they come, and when the epoch went on. */
function mustLook({ phase, level2, root }: EpochRecord, before: EpochRow | null, isSettled: boolean): boolean {
  if (level2 === 'collecting' || level2 === 'aggregating') return true;
  const isNew = before === null || before.phase !== phase || before.level2 !== level2 || before.root !== root;
  return isNew ? phase !== 'submission' : isSettled && !before.isSettled;
}
