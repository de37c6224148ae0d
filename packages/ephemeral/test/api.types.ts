// Type tests of the public API: never run, only compiled, against the sources and against the built declarations.
import type { Backend, MempoolStore } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';

export const backend: Backend = ephemeral;

export async function open(): Promise<MempoolStore> {
  await ephemeral.open();
  // @ts-expect-error memory has no path
  await ephemeral.open({ path: 'mempool.sqlite' });
  return ephemeral.open({ pool: 'main', maxTxBytes: 1, finalizeThreshold: 1 });
}
