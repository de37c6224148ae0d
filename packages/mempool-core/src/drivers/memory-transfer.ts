import type { StoreDriver } from '../contract/driver.ts';
import type { ImportedPage, ImportMark, PageOutcome, PoolPart } from '../contract/transfer.ts';
import { exportedPages } from '../priority/exported-pages.ts';
import { memoryOf, PoolFiller, type WholePool } from '../priority/whole-pool.ts';
import { importUnfinished, isUnused, judgePage } from '../rules/transfer.ts';

/** What a driver may do while a pool is being imported. */
const always: ReadonlySet<string> = new Set(['close', 'onEvents']);

/** Adds `exportPages` to the driver of a pool in memory. */
export function withExport(driver: StoreDriver, pool: WholePool): StoreDriver {
  return {
    ...driver,
    async *exportPages(): AsyncGenerator<readonly PoolPart[], undefined> {
      yield* exportedPages(pool);
    },
  };
}

/** Adds `exportPages` and `importPage` to the driver of a pool that is stored nowhere else. */
export function withTransfer(driver: StoreDriver, pool: WholePool): StoreDriver {
  const importing = new MemoryImport(pool);
  const guarded = Object.entries(withExport(driver, pool)).map(([name, verb]: [string, unknown]) => {
    if (typeof verb !== 'function' || always.has(name)) return [name, verb];
    return [
      name,
      (...args: unknown[]) => {
        if (importing.isUnfinished) throw importUnfinished();
        return verb(...args);
      },
    ];
  });
  return { ...(Object.fromEntries(guarded) as StoreDriver), importPage: (page) => importing.store(page) };
}

/** The import into a pool in memory. */
class MemoryImport {
  readonly #pool: WholePool;
  readonly #filler: PoolFiller;
  #mark: ImportMark | null = null;

  constructor(pool: WholePool) {
    this.#pool = pool;
    this.#filler = new PoolFiller(pool);
  }

  get isUnfinished(): boolean {
    return this.#mark !== null && !this.#mark.isDone;
  }

  store(page: ImportedPage): PageOutcome {
    const outcome = judgePage(this.#mark, this.#isUnused, page);
    if (outcome !== null) return outcome;
    for (const part of page.parts) this.#filler.add(part);
    this.#mark = { id: page.id, ...page.to, isDone: page.isLast };
    return { kind: 'stored' };
  }

  get #isUnused(): boolean {
    const { lastEventSeq, lastSeq, lastLogSeq, currentTip, records } = memoryOf(this.#pool);
    const { lastVersion } = records.totals;
    return isUnused({ lastEventSeq, lastSeq, lastLogSeq, tick: currentTip.tick, lastVersion });
  }
}
