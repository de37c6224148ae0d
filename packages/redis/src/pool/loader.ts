import * as core from 'mempool-core/backend';
import type { Argument } from '../connection/lua-script.ts';
import type { LoadedPage, MirrorReport, Reply } from '../connection/script.ts';
import {
  endedHashes,
  type LoadedPool,
  lateEntries,
  limitsOf,
  liveHashes,
  recordsOf,
  retentionOf,
} from './loaded-pool.ts';

/** Few enough that a script is short. */
const pageItems = { blocks: 64, live: 500, log: 500, tags: 2_000 } as const;
const allItems = 1e9;
const attempts = 3;

/** Runs lua/priority/load.lua. */
type ReadPool = (what: string, after: string, count: number, ...mirror: Argument[]) => Promise<Reply<'load'>>;

/**
 * Loads the pool page by page, while others change it: the pages come with the changes since the first. If that is not possible, it
 * tries again, and finally loads the pool in one script.
 *
 * @throws `ERR_MEMPOOL_CORRUPT` if its numbers do not fit together
 */
export async function loadPool(read: ReadPool, damage: core.DamageReport): Promise<core.MirroredPool> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const changes = new ChangesMeanwhile();
    const loaded = await loadPages(read, changes);
    const mirror = loaded && (await mirrorOf(loaded, changes, damage).catch((error) => unlessMoving(loaded, error)));
    if (mirror) return mirror;
  }
  const reply = await read('all', '0', allItems);
  const [head, blocks, live, log, tags] = reply.slice(5) as LoadedPage[] as FivePages;
  const pages = { blocks: [blocks], live: [live], log: [log], tags: [tags] };
  const known = new Set([...liveHashes(live), ...endedHashes(log)]);
  const loaded = { position: positionOf(reply), head, ...pages, known, isMoving: false };
  return (await mirrorOf(loaded, new ChangesMeanwhile(), damage)) as core.MirroredPool;
}

/** Changes that do not fit are no reason to refuse the pool. */
function unlessMoving({ isMoving }: LoadedPool, error: unknown): null {
  if (!isMoving) throw error;
  return null;
}

type FivePages = [LoadedPage, LoadedPage, LoadedPage, LoadedPage, LoadedPage];

/** The changes by others since the first page, each page's in the answer with the page. */
class ChangesMeanwhile {
  readonly list: core.PoolChange[] = [];
  #position: core.PoolPosition | null = null;

  /** The position of the pages; `null` before the first. */
  get position(): core.PoolPosition | null {
    return this.#position;
  }

  get haveBlock(): boolean {
    return this.list.some(({ chain }) => chain !== null);
  }

  arguments(): Argument[] {
    return this.#position === null ? [] : [this.#position.epoch, this.#position.version, this.#position.stamp];
  }

  /** Handles the page of an answer. */
  take(reply: Reply<'load'>): 'keep' | 'again' | 'start over' {
    const report = reply[6] as MirrorReport | undefined;
    if (this.#position === null || report === undefined) {
      this.#position = positionOf(reply);
      return 'keep';
    }
    const [kind, version, stamp, , , ...flat] = report;
    if (String(kind) === 'reload' || !this.#keep(flat)) return 'start over';
    this.#position = { epoch: this.#position.epoch, version: Number(version), stamp: String(stamp) };
    // The page is later than these changes.
    return String(kind) === 'more' ? 'again' : 'keep';
  }

  /** False if one is damaged. */
  #keep(changesAndTimes: readonly Buffer[]): boolean {
    try {
      for (let i = 0; i < changesAndTimes.length; i += 2) {
        const change = core.decodeChange(changesAndTimes[i] as Buffer);
        this.list.push({ ...change, at: Number(changesAndTimes[i + 1] ?? change.at) });
      }
      return true;
    } catch {
      return false;
    }
  }
}

/** Loads all pages. Returns `null` if the pool changed meanwhile, and `changes` do not contain it. */
async function loadPages(read: ReadPool, changes: ChangesMeanwhile): Promise<LoadedPool | null> {
  const reply = await read('head', '0', 1);
  const position = positionOf(reply);
  changes.take(reply);
  const pages = { blocks: [], live: [], log: [], tags: [] } as Record<keyof typeof pageItems, LoadedPage[]>;
  const known = new Set<string>();
  for (const what of Object.keys(pageItems) as (keyof typeof pageItems)[]) {
    for (let after = '0'; after !== ''; ) {
      const next = await read(what, after, pageItems[what], ...changes.arguments());
      const told = changes.take(next);
      if (told === 'start over') return null;
      if (told === 'again') continue;
      const page = next[5] as LoadedPage;
      pages[what].push(page);
      if (what === 'live') for (const hash of liveHashes(page)) known.add(hash);
      if (what === 'log') for (const hash of endedHashes(page)) known.add(hash);
      after = String(page[0]);
    }
    // The blocks must be the ones of the first page.
    if (what === 'blocks' && changes.haveBlock) return null;
  }
  return { position, head: reply[5] as LoadedPage, ...pages, known, isMoving: changes.list.length > 0 };
}

export function positionOf([epoch, version, stamp]: Reply<'load'>): core.PoolPosition {
  return { epoch: String(epoch), version, stamp: String(stamp) };
}

/** `null` if the changes do not suffice. */
function mirrorOf(
  loaded: LoadedPool,
  changes: ChangesMeanwhile,
  damage: core.DamageReport,
): Promise<core.MirroredPool | null> {
  return core.inSlices(
    core.MirroredPool.filling({
      position: loaded.position,
      retention: retentionOf(loaded),
      limits: limitsOf(loaded.head),
      records: recordsOf(loaded, damage),
      late: lateEntries(loaded, damage),
      changes: changes.list,
      end: changes.position ?? loaded.position,
    }),
  );
}
