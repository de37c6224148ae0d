// For authors of other stores in a file: what the pool's file, the election's and a ledger's have in common.
export type { Database } from 'better-sqlite3';
export { isMempoolError } from 'mempool-core';
export type { RetryOptions } from 'mempool-core/backend';
export { CommitPoll } from './file/commit-poll.ts';
export { type DatabaseFileOptions, incompatible, openDatabase } from './file/database-file.ts';
export { DiskReserve } from './file/disk-reserve.ts';
export type { FileKind } from './file/file-kind.ts';
export { isFileName } from './file/options.ts';
export { damaged, isBytes, isCount, type Row } from './file/row.ts';
export { SqlFile } from './file/sql-file.ts';
export { type WriteOptions, whileBusy } from './file/write-turns.ts';
