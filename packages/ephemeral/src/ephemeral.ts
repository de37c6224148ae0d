import { type Backend, defineBackend, type OpenOptions } from 'mempool-core';
import { EphemeralDriver } from './driver.ts';

/** What every backend takes; memory needs nothing else. */
export type EphemeralOptions = OpenOptions;

/** The in-memory backend: every `open` makes a new, empty pool, which ends with its process (D2). */
export const ephemeral: Backend = defineBackend({
  name: 'ephemeral',
  capabilities: { durable: false, shared: false },
  open: (options) => new EphemeralDriver(options),
});
