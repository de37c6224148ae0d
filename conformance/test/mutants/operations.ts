import type { WriteOptions } from 'mempool-core';
import type { TestedPool } from '../../src/case/tested-pool.ts';
import type { Mutant } from './mutant.ts';
import type { WriteVerb } from './planted-driver.ts';
import { stores } from './store-operators.ts';
import { again, withOptions, writeVerbs } from './through.ts';

/** A call of a verb that writes. */
interface Written {
  readonly store: TestedPool;
  readonly verb: WriteVerb;
  readonly id: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** Made again, under this id. */
  readonly call: (id: string | undefined) => Promise<unknown>;
}

/** Every verb that writes, made in another way. */
function around(id: string, make: () => (at: Written) => Promise<unknown>): Mutant {
  return stores.plant(id, (store) => writing(store, make()));
}

function writing(store: TestedPool, run: (at: Written) => Promise<unknown>): Partial<TestedPool> {
  const made = (verb: WriteVerb, given: readonly unknown[]): Promise<unknown> => {
    const options = given.find((one): one is WriteOptions => typeof one === 'object' && one !== null && isOptions(one));
    const call = (operationId: string | undefined) =>
      again(
        store,
        verb,
        withOptions(given, () => ({ operationId })),
      );
    return run({ store, verb, id: options?.operationId, signal: options?.signal, call });
  };
  return Object.fromEntries(writeVerbs.map((verb) => [verb, (...given: unknown[]) => made(verb, given)]));
}

const isOptions = (one: object): boolean => 'operationId' in one || 'signal' in one;

/** The same for calls with an id, with what is remembered by it. */
function named(
  id: string,
  run: (at: Written & { readonly id: string }, records: Map<string, unknown>) => unknown,
): Mutant {
  return around(id, () => {
    const records = new Map<string, unknown>();
    return async (at) => (at.id === undefined ? at.call(undefined) : run({ ...at, id: at.id }, records));
  });
}

/** Keeps the record under what becomes of the id. */
function filed(id: string, name: (operationId: string, verb: WriteVerb) => string | undefined): Mutant {
  return named(id, (at) => at.call(name(at.id, at.verb)));
}

/** X2. */
export const operationMutants: readonly Mutant[] = [
  ...(['receive', 'markInflight'] as const).map((only) =>
    filed(`${only}-records-nothing`, (id, verb) => (verb === only ? undefined : id)),
  ),
  named('remembers-a-thousand-ids', ({ id, call }, records) => {
    if (!records.has(id)) records.set(id, records.size);
    const place = records.size - 1 - (records.get(id) as number);
    return call(place < 1_000 ? id : `again-${id}`);
  }),
];
