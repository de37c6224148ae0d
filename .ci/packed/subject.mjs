// The suite as a third party's author runs it: a subject of one's own and the command.
import { ephemeral } from 'mempool-ephemeral';

export default {
  name: 'ephemeral',
  module: import.meta.url,
  backend: ephemeral,
  open: (pool, options) => ephemeral.open({ ...options, pool }),
};
