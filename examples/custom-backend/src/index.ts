export { type JournalOptions, journal } from './backend.ts';
