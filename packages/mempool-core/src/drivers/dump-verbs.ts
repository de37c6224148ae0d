import type { WriteContext } from '../contract/call-options.ts';
import type { DumpDriver, DumpedPart, RestoreOutcome } from '../contract/dump.ts';
import type { MemoryPool } from '../memory/memory-pool.ts';
import type { WholePool } from '../priority/content.ts';
import type { PriorityPool } from '../priority/priority-pool.ts';
import { recorded, type Step } from '../rules/step.ts';

/** True if nothing was ever written to a pool with these last numbers (D3). A restored pool may have no events. */
export function isUnused(numbers: Readonly<Record<LastNumber, number>>): boolean {
  return lastNumbers.every((name) => numbers[name] === 0);
}

const lastNumbers = ['lastEventSeq', 'lastSeq', 'lastLogSeq', 'tick', 'lastVersion'] as const;
type LastNumber = (typeof lastNumbers)[number];

/** Returns the step of `restore` with this outcome, without the content. */
export function restoreStep(outcome: RestoreOutcome): Step<RestoreOutcome> {
  return { outcome, writes: [], events: [], chain: null, operation: null, at: null };
}

function restoreInto(
  { memory, restore }: Pick<WholePool, 'memory' | 'restore'>,
  content: readonly DumpedPart[],
  context: WriteContext,
): RestoreOutcome {
  const known = memory.findOperation<RestoreOutcome>('restore', context);
  if (known !== null) return known.outcome;
  const { lastEventSeq, lastSeq, lastLogSeq, currentTip, records } = memory;
  const { lastVersion } = records.totals;
  const isNew = isUnused({ lastEventSeq, lastSeq, lastLogSeq, tick: currentTip.tick, lastVersion });
  if (isNew) for (const part of content) restore(part);
  const step = restoreStep({ kind: isNew ? 'restored' : 'not-empty' });
  const { outcome, operation } = recorded(step, 'restore', context, null);
  if (operation !== null) memory.restore({ kind: 'operation', operation });
  return outcome;
}

/** Returns the verb `restorePool` of a fifo pool in memory, or no verb if there is a `commit`, which can store only steps. */
export function fifoRestore(memory: MemoryPool, commit: unknown): Partial<DumpDriver> {
  if (commit !== undefined) return {};
  const restore = (part: DumpedPart): void => memory.restore(part as Parameters<MemoryPool['restore']>[0]);
  return { restorePool: (content, context) => restoreInto({ memory, restore }, content, context) };
}

/** Does the same as `fifoRestore`, for a priority pool. */
export function priorityRestore(pool: PriorityPool, commit: unknown): Partial<DumpDriver> {
  if (commit !== undefined) return {};
  const { memory } = pool;
  return {
    restorePool(content, context) {
      const outcome = restoreInto({ memory, restore: (part) => pool.restore(part) }, content, context);
      pool.restored();
      return outcome;
    },
  };
}
