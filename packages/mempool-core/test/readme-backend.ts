import { randomUUID } from 'node:crypto';
import { type Backend, defaultRetention } from 'mempool-core';
import { defineBackend, MemoryPool, memoryDriver } from 'mempool-core/backend';

export const scratch: Backend = defineBackend({
  name: 'scratch',
  capabilities: { durable: false, shared: false, lease: false, priority: false, records: true, import: false },
  open(options) {
    const memory = new MemoryPool(randomUUID(), { ...defaultRetention, ...options.retention });
    return memoryDriver({
      memory,
      options,
      // A step is all that a call changes. It happens whole or not at all (X1).
      commit: (step) => memory.apply(step),
      close: () => undefined,
    });
  },
});
