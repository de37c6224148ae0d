import type { Awaitable, ReadContext, ReadOptions } from './call-options.ts';
import type { TxState } from './lifecycle.ts';
import type { Limits, Ordering } from './limits.ts';
import type { Retention } from './options.ts';
import type { ClaimRecord, Entry } from './pool-entry.ts';
import type { NamedValue } from './records.ts';
import type { ChainPoint, Tip, Transaction } from './transaction.ts';

/** The first part of an export: the pool when the export begins. */
export interface StartPart {
  readonly kind: 'start';
  readonly ordering: Ordering;
  readonly tip: Tip;
  /** Number of live transactions. */
  readonly live: number;
  /** Number of entries in the terminal log. */
  readonly logged: number;
  readonly lastEventSeq: number;
}

/** A live transaction. */
export interface LivePart {
  readonly kind: 'live';
  readonly state: TxState;
  /** The confirming block. */
  readonly point: ChainPoint | null;
  readonly body: Transaction;
  /** `null` in a fifo pool. */
  readonly entry: Entry | null;
  /** The claim in a fifo pool. In a priority pool, the entry has it. A file of an export has no claims. */
  readonly claim: ClaimRecord | null;
}

/** The next entry of the log. */
export interface EndedPart {
  readonly kind: 'ended';
  readonly logSeq: number;
  readonly state: TxState;
  /** The confirming block. */
  readonly point: ChainPoint | null;
  /** `null` if another part has a later state of the same hash, with the payload. */
  readonly body: Transaction | null;
  /** `null` in a fifo pool, and if `body` is. */
  readonly entry: Entry | null;
  /** When the entry was written (E5). */
  readonly at: number;
  /**
   * Present if the transaction ended after the export began, so an earlier part may have it as live. Such a part has a
   * body.
   */
  readonly late?: true;
}

/** A kept block, with the hashes that no earlier kept block carried. */
export interface BlockPart {
  readonly kind: 'block';
  readonly tick: number;
  readonly point: ChainPoint;
  readonly sighted: readonly string[];
}

/** The pool's numbers and limits. */
export interface NumbersPart {
  readonly kind: 'numbers';
  readonly tip: Tip;
  /** The first tick whose block is kept. */
  readonly floor: number;
  readonly lastSeq: number;
  readonly lastLogSeq: number;
  /** The time of the last call with events (E5); 0 before the first. */
  readonly lastAt: number;
  /** 0 in a fifo pool. */
  readonly lastGossipSeq: number;
  readonly limits: Partial<Limits>;
  readonly retention: Retention;
}

/** The last part of an export. */
export interface FinishPart {
  readonly kind: 'finish';
  /** The version of the last change of any record. */
  readonly lastVersion: number;
  readonly lastEventSeq: number;
}

/** One part of a pool's content (D3). */
export type PoolPart =
  | StartPart
  | LivePart
  | EndedPart
  | BlockPart
  | NumbersPart
  | { readonly kind: 'satisfied'; readonly tag: string; readonly tick: number }
  | { readonly kind: 'record'; readonly record: NamedValue }
  | FinishPart;

/** A place in a file of an export: the number of lines up to it, and the digest of these lines. */
export interface FilePlace {
  readonly lines: number;
  readonly digest: string;
}

/** The beginning of a file. */
export const fileStart: FilePlace = Object.freeze({ lines: 0, digest: '' });

/** Some lines of a file, to be stored in one step with the place to which they lead. */
export interface ImportedPage {
  /** Identifies the export. */
  readonly id: string;
  readonly from: FilePlace;
  readonly to: FilePlace;
  readonly parts: readonly PoolPart[];
  /** True if the file ends with this page. */
  readonly isLast: boolean;
}

/** The outcome of a page. */
export type PageOutcome =
  | { readonly kind: 'stored' }
  /** An earlier import of the same file has stored more. Nothing changed. The import goes on at this place. */
  | ({ readonly kind: 'known' } & FilePlace)
  /** The whole file was imported before. Nothing changed. */
  | { readonly kind: 'done' }
  /** Another file is being imported. Nothing changed. */
  | { readonly kind: 'other-file' }
  /** Something was written to the pool before. Nothing changed. */
  | { readonly kind: 'not-empty' };

/** The progress of an import, as it is stored with the pool. */
export interface ImportMark extends FilePlace {
  readonly id: string;
  readonly isDone: boolean;
}

/** The lines of an export, without line ends. */
export type Lines = AsyncIterable<string> | Iterable<string>;

/** Options of `import`. */
export interface ImportOptions extends ReadOptions {
  /** Also import a file whose tip changed during the export. Transactions in flight may then lack a block. Default false. */
  readonly acceptChanged?: boolean | undefined;
  /** Called after each page with the number of lines that are stored, and with the number that is expected. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
}

/** The progress of an import, in lines of the file. */
export interface ImportProgress {
  readonly lines: number;
  /** Number of transactions and log entries when the export began. */
  readonly expected: number;
}

/** The numbers in the last line of an export. */
export interface ExportCounts {
  readonly live: number;
  readonly logged: number;
  readonly records: number;
  /** True if other calls changed the pool during the export. */
  readonly changed: boolean;
}

/** The outcome of `import`. Only with `imported` is the pool in use. */
export type ImportOutcome =
  | ({ readonly kind: 'imported'; readonly lines: number } & ExportCounts)
  /** Another file is being imported into this pool. Nothing changed. */
  | { readonly kind: 'other-file' }
  /** Something was written to the pool before. Nothing changed. */
  | { readonly kind: 'not-empty' }
  /** A block was applied or undone during the export. Repeat the call with `acceptChanged`, or remove the pool. */
  | { readonly kind: 'tip-changed' };

/** The verbs of a driver that move a pool to another backend. */
export interface TransferDriver {
  /**
   * Yields the parts of the pool, in pages: `start`; the live transactions by seq, up to the last seq at the start; the log;
   * the kept blocks; `numbers`; the satisfied tags; the records; `finish`. A page has about a megabyte at most. Others may
   * write between two pages. What was live all the time must come exactly once; what ended meanwhile must be in the log.
   *
   * @throws `ERR_MEMPOOL_CORRUPT` if a record is damaged
   */
  exportPages(context: ReadContext): AsyncIterable<readonly PoolPart[]>;
  /**
   * Stores all of the page with its place, or nothing, as `judgePage` decides. From the first page to the last one, each
   * other verb rejects with `importUnfinished`. The parts are checked.
   */
  importPage(page: ImportedPage, context: ReadContext): Awaitable<PageOutcome>;
}
