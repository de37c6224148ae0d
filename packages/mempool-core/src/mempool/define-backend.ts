import { noLeases, settle, unsupported } from '../boundary/call-errors.ts';
import { DamageNotes } from '../boundary/damage-notes.ts';
import { openNames, poolNames, resolveOptions, resolvePoolOptions } from '../boundary/open-options.ts';
import { anyName, checkNames } from '../boundary/option-names.ts';
import { checkFifoLimits } from '../boundary/submissions.ts';
import type { Awaitable } from '../contract/call-options.ts';
import type { DriverOptions, StoreDriver } from '../contract/driver.ts';
import { isMempoolError } from '../contract/errors.ts';
import type { Ordering } from '../contract/limits.ts';
import type { OpenOptions } from '../contract/options.ts';
import type { Capabilities } from '../contract/store.ts';
import { Mempool } from './mempool.ts';
import type { AnyMempool, MempoolOf } from './pool-of-ordering.ts';

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
  open<O extends Ordering = 'fifo'>(options?: OpenOptions<O> & Own): Promise<MempoolOf<NoInfer<O>>>;
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

const ofPool: ReadonlySet<string> = new Set(poolNames);

/** The pools that this copy of the library made, with their drivers. */
const made = new WeakMap<object, StoreDriver>();

/**
 * Makes a backend. It adds to the driver the parts that all backends share: the `Mempool` with its checks, copies and
 * batches, abort, `close`, waits and event streams.
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
    const own = resolvePoolOptions(options, common);
    const notes = new DamageNotes(common.log);
    const further = Object.entries(options).filter(([option]) => !ofPool.has(option));
    const given = { ...(Object.fromEntries(further) as Own), ...common, limits, damage: notes.report };
    return { common, own, minPriority, notes, given };
  };
  return {
    name,
    capabilities,
    async open<O extends Ordering>(options = {} as OpenOptions<O> & Own): Promise<MempoolOf<O>> {
      const { common, own, minPriority, notes, given } = resolve(options);
      const driver = await settle(() => definition.open(given));
      if (Object.keys(common.limits).length > 0 && driver.setLimits === undefined) {
        await driver.close();
        throw unsupported(`the backend ${name} does not support limits in a fifo pool (maxTxs)`);
      }
      if (minPriority !== undefined) await nameFloor(driver, minPriority);
      // `common` excludes the backend's own options, which may contain a password.
      const pool = new Mempool({ name, capabilities, driver, opened: common, damage: notes }, own);
      made.set(pool, driver);
      return pool as AnyMempool as MempoolOf<O>;
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
 * Returns the same pool, typed with the verbs of both orderings. If `defineBackend` made the pool, a verb that its ordering
 * lacks rejects with `ERR_MEMPOOL_UNSUPPORTED`.
 */
export function anyMempool(pool: MempoolOf<Ordering>): AnyMempool {
  return pool as AnyMempool;
}

/** True if `defineBackend` of this copy of the library made the pool. False for an object that wraps such a pool. */
export function hasCoreBoundary(pool: object): boolean {
  return made.has(pool);
}

/** Returns the driver of a pool that `defineBackend` of this copy of the library made. */
export function driverOf(pool: object): StoreDriver | undefined {
  return made.get(pool);
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
