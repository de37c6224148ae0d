import type { Subject } from 'mempool-conformance';
import { ephemeral } from 'mempool-ephemeral';

export const subject: Subject = {
  name: 'ephemeral',
  module: import.meta.url,
  backend: ephemeral,
  open: (pool, options) => ephemeral.open({ ...options, pool }),
};
