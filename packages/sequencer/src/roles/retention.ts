import type { Lease } from 'mempool-core';
import type { Agreement } from '../contract/batch.ts';
import type { RefusedRelease } from '../contract/chain.ts';
import type { EpochRecord } from '../contract/epoch.ts';
import { Batches } from '../store/batches.ts';
import { Epochs } from '../store/epochs.ts';
import { forgottenKinds, prefixOf, recordNames } from '../store/names.ts';
import type { Namespace } from '../store/namespace.ts';

/** Options of `forgetEpochs`. */
export interface RetentionOptions {
  /** How long an epoch is kept after it ended, in milliseconds; default 7 days. */
  readonly keepMs?: number | undefined;
  /**
   * Keeps the agreement elsewhere, before its record is deleted. Without it these records stay for good; a pool has
   * room for 64 MiB of them.
   */
  readonly archive?: ((agreement: Agreement) => void | Promise<void>) | undefined;
}

const weekMs = 604_800_000;

/**
 * Forgets the epochs that ended long enough ago: their pools, records and batches. Returns them.
 * @throws `DeposedError` if another node leads now; any error of `removePool` or `archive`
 */
export async function forgetEpochs(
  namespace: Namespace,
  lease: Lease,
  { keepMs = weekMs, archive }: RetentionOptions = {},
): Promise<number[]> {
  const forgotten: number[] = [];
  for (const { value: record } of await namespace.records.list<EpochRecord>('epoch/')) {
    if (record.endedAt === null || record.endedAt + keepMs > namespace.now()) continue;
    if (archive !== undefined) await archiveAgreement(namespace, record.epoch, lease, archive);
    await forget(namespace, record.epoch, lease);
    forgotten.push(record.epoch);
  }
  for (const { name, value, version } of await namespace.records.list<RefusedRelease>('refused/'))
    if (value.at + keepMs <= namespace.now()) await namespace.records.replace(name, null, version, lease);
  return forgotten;
}

async function archiveAgreement(
  { records }: Namespace,
  epoch: number,
  lease: Lease,
  archive: NonNullable<RetentionOptions['archive']>,
): Promise<void> {
  const agreed = await records.read<Agreement>(recordNames.agreed(epoch));
  if (agreed === null) return;
  await archive(agreed.value);
  await records.replace(recordNames.agreed(epoch), null, agreed.version, lease);
}

/**
 * Deletes the record of the epoch last, so that the rest is found again after a crash. A reader may create the pool again at that time,
 * so this removes it once more: a later reader finds that the record is gone.
 */
async function forget(namespace: Namespace, epoch: number, lease: Lease): Promise<void> {
  await new Batches(namespace).drop(epoch);
  await new Epochs(namespace).deactivate(epoch, lease);
  await namespace.removeEpoch(epoch);
  for (const kind of forgottenKinds) await namespace.records.removeAll(prefixOf(kind, epoch), lease);
  await namespace.removeEpoch(epoch);
}
