import { serverConfigSchema } from 'mempool-server';
import { roleExtension } from './section.ts';

/** The JSON Schema of a validator's configuration. */
export function roleSchema(): object {
  return serverConfigSchema([roleExtension]);
}
