export { type BrokenStore, breaking, brokenIds, brokenStores } from './case/broken.ts';
