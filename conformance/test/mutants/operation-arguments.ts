import { type ChainPoint, invalid, isMempoolError, type WriteOptions } from 'mempool-core';
import { handed, type Mutant } from './mutant.ts';

/** X2: an operation id that is used again with other arguments. */
export const operationArgumentMutants: readonly Mutant[] = [
  handed('id-of-another-slot-answered', (store) => {
    const slots = new Map<string, number>();
    const first = (point: ChainPoint, id: string | undefined): ChainPoint => {
      if (id === undefined) return point;
      const slot = slots.get(`${id} ${point.hash}`) ?? point.slot;
      slots.set(`${id} ${point.hash}`, slot);
      return { ...point, slot };
    };
    return {
      confirm: (block, policy, options) =>
        store.confirm({ ...block, point: first(block.point, options?.operationId) }, policy, options),
      rollback: (point, options) => store.rollback(point && first(point, options?.operationId), options),
    };
  }),
  handed('id-of-some-of-its-hashes-answered', (store) => {
    const known = new Map<string, readonly string[]>();
    const first = (hashes: readonly string[], id: string | undefined): readonly string[] => {
      if (id === undefined) return hashes;
      const before = known.get(id)?.some((hash) => hashes.includes(hash)) ? known.get(id) : undefined;
      if (!known.has(id)) known.set(id, hashes);
      return before ?? hashes;
    };
    return {
      markInflight: (hashes, options) => store.markInflight(first(hashes, options?.operationId), options),
      drop: (hashes, reason, options) => store.drop(first(hashes, options?.operationId), reason, options),
    };
  }),
  handed('forgets-all-ids-at-the-ten-thousandth', (store) => {
    const ids = new Set<string>();
    let emptied = 0;
    const renamed = <T extends WriteOptions>(options: T | undefined): T | undefined => {
      const id = options?.operationId;
      if (id === undefined) return options;
      if (!ids.has(id) && ids.size === 10_000) {
        ids.clear();
        emptied += 1;
      }
      ids.add(id);
      return emptied === 0 ? options : { ...(options as T), operationId: `${id} ${emptied}` };
    };
    return {
      receive: (batch, options) => store.receive(batch, renamed(options)),
      markInflight: (hashes, options) => store.markInflight(hashes, renamed(options)),
    };
  }),
  handed('first-transactions-not-told', (store) => ({
    receive: (batch, options) =>
      store.receive(batch, options).catch((error: unknown) => {
        if (!isMempoolError(error, 'ERR_MEMPOOL_INVALID')) throw error;
        throw invalid(error.details.field ?? '', 'another one');
      }),
  })),
];
