export { type SqliteOptions, sqlite, sqliteExclusive } from './backend.ts';
export { type SqliteElectionOptions, sqliteElection } from './election/provider.ts';
