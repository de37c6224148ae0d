export { type SqliteElectionOptions, sqliteElection } from './election/provider.ts';
export { backUpFile } from './file/back-up.ts';
export type { SqliteOptions } from './file/options.ts';
export { sqlite } from './sqlite.ts';
