import type { Awaitable } from '../contract/call-options.ts';
import type { DriverOptions, StoreDriver } from '../contract/driver.ts';
import type { OpenOptions } from '../contract/options.ts';
import type * as store from '../contract/store.ts';
import type { Capabilities } from '../contract/store.ts';
import { noLeases, settle, unsupported } from './call-errors.ts';
import { CheckedStore } from './checked-store.ts';
import { openNames, resolveOptions } from './open-options.ts';
import { anyName, checkNames } from './option-names.ts';
import { checkFifoLimits } from './submissions.ts';

/** A backend: a value with three members. */
export interface Backend<Own extends object = object> {
  readonly name: string;
  readonly capabilities: Capabilities;
  /** @throws `ERR_MEMPOOL_INVALID`, `ERR_MEMPOOL_UNAVAILABLE`, `ERR_MEMPOOL_INCOMPATIBLE` and what the backend adds */
  open(options?: OpenOptions & Own): Promise<store.MempoolStore>;
}

/** What an author gives to `defineBackend`. */
export interface BackendDefinition<Own extends object> {
  readonly name: string;
  readonly capabilities: Capabilities;
  /**
   * Names of the options beyond those of every backend: others are refused. Left out: the backend looks after them
   * itself.
   */
  readonly options?: { readonly [Name in keyof Own]-?: true };
  open(options: DriverOptions & Own): Awaitable<StoreDriver>;
}

/** Every store that this copy of the library has put its boundary around. */
const made = new WeakSet<object>();

/** Puts around an author's verbs what all backends share: checks, copies, abort, `close`, event streams. */
export function defineBackend<Own extends object = object>(definition: BackendDefinition<Own>): Backend<Own> {
  const { name } = definition;
  const names =
    definition.options === undefined ? anyName : new Set([...openNames, ...Object.keys(definition.options)]);
  const capabilities = Object.freeze({ ...definition.capabilities });
  return {
    name,
    capabilities,
    async open(options = {} as OpenOptions & Own) {
      checkNode();
      checkNames('options', options, names);
      const common = resolveOptions(options);
      const resolved = { ...options, ...common };
      if (resolved.fenced && !capabilities.lease) throw noLeases(name);
      if (resolved.ordering === 'priority' && !capabilities.priority)
        throw unsupported(`the backend ${name} has no priority pools`);
      if (resolved.ordering === 'fifo') checkFifoLimits(resolved.limits);
      const driver = await settle(() => definition.open(resolved));
      if (Object.keys(resolved.limits).length > 0 && driver.setLimits === undefined) {
        await driver.close();
        throw unsupported(`the backend ${name} keeps no limits of a pool in order of arrival (maxTxs)`);
      }
      // Without the backend's own options, which may name a password.
      const store = new CheckedStore(name, capabilities, driver, common);
      made.add(store);
      return store;
    },
  };
}

/** Whether a store has the boundary of this copy of the library around it. A store that wraps another one has not. */
export function hasCoreBoundary(store: store.MempoolStore): boolean {
  return made.has(store);
}

/** As `engines` in package.json, which installers only warn of. */
const oldest = 22;

/**
 * To be called before a native module is: on a Node that is too old one may end the process.
 *
 * @throws `ERR_MEMPOOL_UNSUPPORTED` before Node 22
 */
export function checkNode(version: string = process.versions.node): void {
  if (Number.parseInt(version, 10) < oldest)
    throw unsupported(`mempool needs Node ${oldest} or later, and this is v${version}`);
}
