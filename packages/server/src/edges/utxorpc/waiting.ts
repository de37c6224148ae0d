import { refOf } from './refs.ts';
import { submit } from './spec.ts';
import type { StageNews } from './stage-watches.ts';
import { rpcStages } from './stages.ts';

/**
 * Yields the stage of each transaction, and each change of it, until all are Finalized or Dropped. A fork may return a
 * transaction to the pool, so CONFIRMED is not the end. A transaction that the pool does not know may still arrive,
 * and one whose record is damaged may still end.
 * @param news the stream of `StageWatches.watch`
 * @throws the errors of `news`
 */
export async function* waited(
  news: AsyncIterable<StageNews>,
  hashes: ReadonlySet<string>,
): AsyncGenerator<submit.WaitForTxResponse, void> {
  const open = new Set(hashes);
  const told = new Map<string, submit.Stage>();
  if (open.size === 0) return;
  for await (const { hash, stage } of news) {
    if (stage === 'Unknown' || stage === 'Damaged') continue;
    const rpcStage = rpcStages[stage];
    if (told.get(hash) !== rpcStage) yield new submit.WaitForTxResponse({ ref: refOf(hash), stage: rpcStage });
    told.set(hash, rpcStage);
    if (stage === 'Finalized' || stage === 'Dropped') open.delete(hash);
    if (open.size === 0) return;
  }
}
