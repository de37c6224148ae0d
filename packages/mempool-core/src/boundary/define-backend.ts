import type { Awaitable } from '../contract/call-options.ts';
import type { DriverOptions, StoreDriver } from '../contract/driver.ts';
import { isMempoolError } from '../contract/errors.ts';
import type { Ordering } from '../contract/limits.ts';
import type { OpenOptions } from '../contract/options.ts';
import type * as store from '../contract/store.ts';
import type { Capabilities } from '../contract/store.ts';
import { noLeases, settle, unsupported } from './call-errors.ts';
import { CheckedStore } from './checked-store.ts';
import { DamageNotes } from './damage-notes.ts';
import { openNames, resolveOptions } from './open-options.ts';
import { anyName, checkNames } from './option-names.ts';
import { checkFifoLimits } from './submissions.ts';

/** A backend, which opens pools in one kind of store. `defineBackend` makes it. */
export interface Backend<Own extends object = object> {
  readonly name: string;
  readonly capabilities: Capabilities;
  /**
   * Opens the pool and makes it if it does not exist.
   *
   * @throws `ERR_MEMPOOL_INVALID` if an option is wrong; `ERR_MEMPOOL_UNSUPPORTED` if an option needs a capability that
   * the backend lacks; `ERR_MEMPOOL_UNAVAILABLE`, `ERR_MEMPOOL_INCOMPATIBLE` and other codes of the backend
   */
  open<O extends Ordering = 'fifo'>(options?: OpenOptions<O> & Own): Promise<store.StoreOf<NoInfer<O>>>;
  /**
   * Removes all stored data of the pool that these options name, of either ordering (D4). Close its stores first. A backend
   * may lack this method.
   *
   * @returns false if there was nothing to remove
   * @throws the errors of `open`; `ERR_MEMPOOL_IN_USE` if the backend detects that the pool is still open elsewhere
   */
  remove?(options?: OpenOptions & Own): Promise<boolean>;
}

/** A backend that can remove its pools (D4). */
export interface RemovingBackend<Own extends object = object> extends Backend<Own> {
  remove(options?: OpenOptions & Own): Promise<boolean>;
}

/** The argument of `defineBackend`. */
export interface BackendDefinition<Own extends object> {
  readonly name: string;
  readonly capabilities: Capabilities;
  /**
   * Names of the backend's own options. `open` rejects any other name. If this field is left out, the backend checks
   * the names itself.
   */
  readonly options?: { readonly [Name in keyof Own]-?: true };
  /** Opens the pool. The options common to all backends are checked; the backend's own options are not. */
  open(options: DriverOptions & Own): Awaitable<StoreDriver>;
  /** Removes all stored data of the pool. Returns false if there was none. The options are checked as those of `open` are. */
  remove?(options: DriverOptions & Own): Awaitable<boolean>;
}

/** The stores that this copy of the library made, with their drivers. */
const made = new WeakMap<object, StoreDriver>();

/**
 * Makes a backend. It adds to the driver the parts that all backends share: checks, copies, abort, `close`, event streams.
 */
export function defineBackend<Own extends object = object>(
  definition: BackendDefinition<Own> & Required<Pick<BackendDefinition<Own>, 'remove'>>,
): RemovingBackend<Own>;
export function defineBackend<Own extends object = object>(definition: BackendDefinition<Own>): Backend<Own>;
export function defineBackend<Own extends object = object>(definition: BackendDefinition<Own>): Backend<Own> {
  const { name } = definition;
  const names =
    definition.options === undefined ? anyName : new Set([...openNames, ...Object.keys(definition.options)]);
  const capabilities = Object.freeze({ ...definition.capabilities });
  const resolve = <O extends Ordering>(options: OpenOptions<O> & Own) => {
    checkNode();
    checkNames('options', options, names);
    const common = resolveOptions(options);
    if (common.fenced && !capabilities.lease) throw noLeases(name);
    if (common.ordering === 'priority' && !capabilities.priority)
      throw unsupported(`the backend ${name} does not support priority pools`);
    if (common.ordering === 'fifo') checkFifoLimits(common.limits);
    const { minPriority, ...limits } = common.limits;
    const notes = new DamageNotes(common.log);
    return { common, minPriority, notes, given: { ...options, ...common, limits, damage: notes.report } };
  };
  return {
    name,
    capabilities,
    async open<O extends Ordering>(options = {} as OpenOptions<O> & Own): Promise<store.StoreOf<O>> {
      const { common, minPriority, notes, given } = resolve(options);
      const driver = await settle(() => definition.open(given));
      if (Object.keys(common.limits).length > 0 && driver.setLimits === undefined) {
        await driver.close();
        throw unsupported(`the backend ${name} does not support limits in a fifo pool (maxTxs)`);
      }
      if (minPriority !== undefined) await nameFloor(driver, minPriority);
      // `common` excludes the backend's own options, which may contain a password.
      const store = new CheckedStore(name, capabilities, driver, common, notes);
      made.set(store, driver);
      return store as store.AnyStore as store.StoreOf<O>;
    },
    ...(definition.remove && {
      remove: async (options = {} as OpenOptions & Own) => {
        const { given } = resolve(options);
        return settle(() => definition.remove?.(given) ?? false);
      },
    }),
  };
}

/** P26: a floor that an open names makes transactions ready or parks them, so it is set by a call. */
async function nameFloor(driver: StoreDriver, minPriority: bigint): Promise<void> {
  try {
    await settle(() => driver.setLimits?.({ minPriority }, { operationId: undefined, signal: undefined }));
  } catch (error) {
    // A pool that is being imported gets the floor of its file.
    if (isMempoolError(error, 'ERR_MEMPOOL_IN_USE')) return;
    await driver.close();
    throw error;
  }
}

/**
 * Returns the same store, typed with the verbs of both orderings. If `defineBackend` made the store, a verb that its
 * ordering lacks rejects with `ERR_MEMPOOL_UNSUPPORTED`.
 */
export function anyStore(store: store.MempoolStore): store.AnyStore {
  return store as store.AnyStore;
}

/** True if `defineBackend` of this copy of the library made the store. False for an object that wraps such a store. */
export function hasCoreBoundary(store: store.MempoolStore): boolean {
  return made.has(store);
}

/** Returns the driver of a store that `defineBackend` of this copy of the library made. */
export function driverOf(store: store.MempoolStore): StoreDriver | undefined {
  return made.get(store);
}

/** The oldest supported Node version, as in `engines` of package.json. Installers only warn about `engines`. */
const oldest = 22;

/**
 * Checks the version of Node. Call it before loading a native module, which may crash the process on an old Node.
 *
 * @throws `ERR_MEMPOOL_UNSUPPORTED` before Node 22
 */
export function checkNode(version: string = process.versions.node): void {
  if (Number.parseInt(version, 10) < oldest)
    throw unsupported(`mempool needs Node ${oldest} or later, but this is v${version}`);
}
