import type { KnownStage, MempoolEvent, TransactionEvent } from 'mempool-core';
import { reasonText } from 'mempool-core/backend';
import type { Monitor } from 'mempool-server';

/** The totals of a pool's whole history, counted from its raw events in the plainest way. */
export function recount(events: readonly MempoolEvent[]) {
  const moves = events.filter((event): event is TransactionEvent & MempoolEvent => event.kind === 'transaction');
  const stageOf = new Map<string, KnownStage>();
  for (const { hash, stage } of moves) stageOf.set(hash, stage);
  const live = (stage: KnownStage): number => [...stageOf.values()].filter((each) => each === stage).length;
  const blocks = (action: string): number =>
    events.filter((event) => event.kind === 'block' && event.action === action).length;
  const drops = moves.filter(({ stage }) => stage === 'Dropped');
  return {
    received: moves.filter(({ cause }) => cause === 'received').length,
    stages: {
      Pending: live('Pending'),
      Propagated: live('Propagated'),
      Acknowledged: live('Acknowledged'),
      Confirmed: live('Confirmed'),
      Finalized: moves.filter(({ stage }) => stage === 'Finalized').length,
      Dropped: drops.length,
    },
    reasons: countBy(drops.map(nameOf(drops))),
    blocks: { applied: blocks('applied'), undone: blocks('undone') },
    since: null,
  };
}

/** The same numbers as the monitor shows them. */
export function recountOf(monitor: Monitor): ReturnType<typeof recount> {
  const { received, stages, reasons, blocks, since } = monitor.summary();
  return { received, stages, reasons, blocks, since: since as null };
}

/** The first 16 short texts of the application have names of their own. */
function nameOf(drops: readonly TransactionEvent[]): (event: TransactionEvent) => string {
  const texts = drops.map(({ reason }) => reasonText(reason ?? 'damaged')).filter((text) => text.startsWith('app:'));
  const named = new Set([...new Set(texts.filter((text) => text.length <= 64 + 'app:'.length))].slice(0, 16));
  return ({ reason }) => {
    const text = reasonText(reason ?? 'damaged');
    return text.startsWith('app:') && !named.has(text) ? 'other' : text;
  };
}

function countBy(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
