export { type SqliteOptions, sqlite, sqliteExclusive } from './backend.ts';
