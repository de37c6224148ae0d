import type { NumbersPart, PoolPart, StartPart } from '../contract/transfer.ts';
import type { MemoryPool } from '../memory/memory-pool.ts';
import { PriorityPool } from './priority-pool.ts';
import { memoryOf, type WholePool } from './whole-pool.ts';

/** Yields the parts of a pool in memory, in pages, as `exportPages` of a driver does. Others may write between two pages. */
export function* exportedPages(pool: WholePool): Generator<PoolPart[], undefined> {
  const memory = memoryOf(pool);
  const { lastSeq, lastLogSeq } = memory;
  yield [startOf(pool)];
  yield* livePages(pool, lastSeq);
  yield* endedPages(pool, { lastSeq, lastLogSeq });
  for (const block of [...memory.pages.blocks()]) yield [{ kind: 'block', ...block }];
  yield [numbersOf(pool)];
  if (pool instanceof PriorityPool)
    yield pool.index.satisfied.entries().map(([tag, tick]) => ({ kind: 'satisfied', tag, tick }) as const);
  for (const record of [...memory.records.all()])
    yield [{ kind: 'record', record: { ...record, value: Uint8Array.from(record.value) } }];
  yield [{ kind: 'finish', lastVersion: memory.records.totals.lastVersion, lastEventSeq: memory.lastEventSeq }];
}

function startOf(pool: WholePool): StartPart {
  const { currentTip: tip, lastEventSeq, ...memory } = numbersIn(memoryOf(pool));
  return { kind: 'start', ordering: pool instanceof PriorityPool ? 'priority' : 'fifo', tip, ...memory, lastEventSeq };
}

function numbersIn(memory: MemoryPool) {
  const { pending, propagated, acknowledged, confirmed, logged } = memory.usage();
  const live = pending + propagated + acknowledged + confirmed;
  return { currentTip: memory.currentTip, live, logged, lastEventSeq: memory.lastEventSeq };
}

function* livePages(pool: WholePool, last: number): Generator<PoolPart[], undefined> {
  const { pages, fifo } = memoryOf(pool);
  for (let after = 0; ; ) {
    const rows = pages.live(after, last);
    const next = rows.at(-1);
    if (next === undefined) return;
    yield rows.map((row) => {
      const { hash } = row.state;
      return { kind: 'live', ...row, entry: entryOf(pool, hash), claim: fifo.claimRecordOf(hash) };
    });
    after = next.state.seq;
  }
}

function* endedPages(
  pool: WholePool,
  began: Pick<NumbersPart, 'lastSeq' | 'lastLogSeq'>,
): Generator<PoolPart[], undefined> {
  const { pages } = memoryOf(pool);
  for (let from = 0; ; ) {
    const rows = pages.ended(from, began);
    const next = rows.at(-1);
    if (next === undefined) return;
    yield rows.map((row) => {
      const entry = row.body === null ? null : entryOf(pool, row.state.hash);
      return { kind: 'ended', ...row, entry };
    });
    from = next.logSeq + 1;
  }
}

function entryOf(pool: WholePool, hash: string) {
  return pool instanceof PriorityPool ? (pool.index.node(hash)?.entry ?? null) : null;
}

function numbersOf(pool: WholePool): PoolPart {
  const memory = memoryOf(pool);
  const { currentTip: tip, floor, lastSeq, lastLogSeq, lastAt, retention, fifo } = memory;
  const common = { kind: 'numbers', tip, floor, lastSeq, lastLogSeq, lastAt, retention: { ...retention } } as const;
  if (!(pool instanceof PriorityPool)) return { ...common, lastGossipSeq: 0, limits: { maxTxs: fifo.maxTxs } };
  const { limits, lastGossipSeq } = pool.index;
  return { ...common, lastGossipSeq, limits: { ...limits } };
}
