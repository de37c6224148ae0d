export { type LevelOptions, leveldb } from './backend.ts';
