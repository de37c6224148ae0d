import type { WriteOptions } from 'mempool-core';
import { invalid } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { stores } from './stores.ts';

/** X2: an operation id that is used again with other arguments. */
export const operationArgumentMutants: readonly Mutant[] = [
  stores.plant('id-of-another-slot-answered', (store) => {
    const slots = new Map<string, number>();
    const first = <P extends { readonly slot: number; readonly hash: string }>(point: P, id: string | undefined): P => {
      const key = `${id} ${point.hash}`;
      if (!slots.has(key)) slots.set(key, point.slot);
      return id === undefined ? point : { ...point, slot: slots.get(key) ?? point.slot };
    };
    return {
      confirm: (block, policy, options) =>
        store.confirm({ ...block, point: first(block.point, options?.operationId) }, policy, options),
      rollback: (point, options) => store.rollback(point && first(point, options?.operationId), options),
    };
  }),
  stores.plant('id-of-some-of-its-hashes-answered', (store) => {
    const known = new Map<string, readonly string[]>();
    const first = (hashes: readonly string[], id: string | undefined): readonly string[] => {
      if (id === undefined) return hashes;
      const before = known.get(id);
      if (before === undefined) known.set(id, hashes);
      return before?.some((hash) => hashes.includes(hash)) ? before : hashes;
    };
    return {
      markInflight: (hashes, options) => store.markInflight(first(hashes, options?.operationId), options),
      drop: (hashes, reason, options) => store.drop(first(hashes, options?.operationId), reason, options),
    };
  }),
  stores.plant('forgets-all-ids-at-the-ten-thousandth', (store) => {
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
  stores.caught('first-transactions-not-told', ['receive'], 'ERR_MEMPOOL_INVALID', ({ details }) => {
    throw invalid(details.field ?? '', 'another one');
  }),
];
