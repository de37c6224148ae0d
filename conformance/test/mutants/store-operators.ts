import { type Capabilities, isMempoolError, type MempoolError, type OpenOptions } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { asTested, type TestedPool } from '../../src/case/tested-pool.ts';
import { storeVerbs, verbsOf } from '../../src/case/verbs.ts';
import { type Mutant, mutant, plainPool } from './mutant.ts';
import { type At, Layer, type VerbOf } from './operators.ts';

interface Site {
  readonly store: TestedPool;
  readonly options: OpenOptions;
}

/** Faults in what a caller gets, above core's checks: those of stores made without them. */
class StoreLayer extends Layer<TestedPool, Site> {
  readonly #capabilities: Capabilities;

  constructor(capabilities: Capabilities, isPlanted: (store: TestedPool) => boolean = () => true) {
    super((id, fault) => {
      const open = async (options: OpenOptions = {}): Promise<TestedPool> => {
        const store = asTested(await ephemeral.open(options));
        const plain = { name: id, capabilities, ordering: store.ordering, ...verbsOf(store, storeVerbs) };
        return { ...plain, ...(isPlanted(store) ? fault(store, { store, options }) : {}) };
      };
      return mutant(id, { name: id, capabilities, open });
    });
    this.#capabilities = capabilities;
  }

  /** A fault in what is done with the options of `open`. */
  opened(id: string, change: (options: OpenOptions) => OpenOptions): Mutant {
    const capabilities = this.#capabilities;
    const open = async (options: OpenOptions = {}): Promise<TestedPool> => {
      const store = asTested(await ephemeral.open(change(options)));
      return { name: id, capabilities, ordering: store.ordering, ...verbsOf(store, storeVerbs) };
    };
    return mutant(id, { name: id, capabilities, open });
  }

  /** An option that a verb does not hear. */
  unheard(id: string, verb: VerbOf<TestedPool>, name: string): Mutant {
    const without = (given: object) => Object.fromEntries(Object.entries(given).filter(([each]) => each !== name));
    return this.every(id, [verb], (at) => {
      const given = (at.given as unknown[]).map((one) => (isOptions(one) && name in one ? without(one) : one));
      return (at.call as (...all: unknown[]) => unknown)(...given);
    });
  }

  /** What a call rejects with for such a reason, or any, told in another way or answered. */
  caught<V extends VerbOf<TestedPool>>(
    id: string,
    verbs: readonly V[],
    code: MempoolError['code'] | null,
    answer: (error: MempoolError, at: At<TestedPool, V, Site>) => unknown,
  ): Mutant {
    return this.every(id, verbs, (at) => {
      const call = at.call as (...given: unknown[]) => Promise<unknown>;
      return call(...(at.given as unknown[])).catch((error: unknown) => {
        if (code === null || isMempoolError(error, code)) return answer(error as MempoolError, at);
        throw error;
      });
    });
  }
}

function isOptions(one: unknown): one is object {
  return typeof one === 'object' && one !== null && !Array.isArray(one);
}

/** Stores in order of arrival. */
export const stores: StoreLayer = new StoreLayer(plainPool);
/** Stores of both orderings. */
export const pools: StoreLayer = new StoreLayer({ ...plainPool, priority: true });
/** The same with the fault in those in order of arrival alone. */
export const arrivals: StoreLayer = new StoreLayer(
  { ...plainPool, priority: true },
  ({ ordering }) => ordering === 'fifo',
);
/** The same with the fault in those by priority alone. */
export const priorities: StoreLayer = new StoreLayer(
  { ...plainPool, priority: true },
  ({ ordering }) => ordering === 'priority',
);
