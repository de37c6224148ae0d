import type { DamageReport } from '../contract/damage.ts';
import { MempoolError } from '../contract/errors.ts';
import type { TxState } from '../contract/lifecycle.ts';
import { corrupt } from '../contract/page-rules.ts';
import type { ImportedPage, ImportMark, PageOutcome, PoolPart } from '../contract/transfer.ts';

/** Returns the outcome of a page that is not stored; `null` if it is the next one of its file. `isUnused`: the pool is empty. */
export function judgePage(
  mark: ImportMark | null,
  isUnused: boolean,
  { id, from }: Pick<ImportedPage, 'id' | 'from'>,
): PageOutcome | null {
  if (mark === null) return isUnused && from.lines === 0 ? null : { kind: 'not-empty' };
  if (mark.id !== id) return { kind: mark.isDone ? 'not-empty' : 'other-file' };
  if (mark.isDone) return { kind: 'done' };
  if (mark.lines > from.lines) return { kind: 'known', lines: mark.lines, digest: mark.digest };
  return mark.lines === from.lines && mark.digest === from.digest ? null : { kind: 'other-file' };
}

const lastNumbers = ['lastEventSeq', 'lastSeq', 'lastLogSeq', 'tick', 'lastVersion'] as const;
type LastNumber = (typeof lastNumbers)[number];

/** True if nothing was ever written to a pool with these last numbers (D3). */
export function isUnused(numbers: Readonly<Record<LastNumber, number>>): boolean {
  return lastNumbers.every((name) => numbers[name] === 0);
}

/** Returns the error of each verb but `import` while a pool is being imported, `ERR_MEMPOOL_IN_USE`. */
export function importUnfinished(): MempoolError {
  const remedy = 'import the same file again to complete it, or remove the pool';
  return new MempoolError('ERR_MEMPOOL_IN_USE', `the pool is being imported: ${remedy}`);
}

/**
 * Leaves a damaged Pending transaction out of an export, with a report (M2, D3).
 *
 * @throws `ERR_MEMPOOL_CORRUPT` for another one: the chain may have it, and a pool without it would take a payment back
 */
export function leaveOut({ hash, seq, stage }: Pick<TxState, 'hash' | 'seq' | 'stage'>, damage: DamageReport): null {
  if (stage !== 'Pending') throw corrupt({ hash, seq });
  damage({ hash, seq });
  return null;
}

/** Parts and payload bytes of a page, about. */
const pageParts = 500;
const pageBytes = 1024 * 1024;

/** Divides the parts of an export into pages. Call it only if nobody else can change what the parts are read from. */
export function* inPages(parts: Iterable<PoolPart>): Generator<PoolPart[], undefined> {
  let page: PoolPart[] = [];
  let bytes = 0;
  for (const part of parts) {
    page.push(part);
    if (part.kind === 'live' || part.kind === 'ended') bytes += part.body?.payload.length ?? 0;
    if (page.length < pageParts && bytes < pageBytes) continue;
    yield page;
    [page, bytes] = [[], 0];
  }
  yield page;
}
