import type { ChainSource } from 'mempool-core';
import { openNode } from 'mempool-node';

/** A node on this chain. Every option that is a field of a configuration wins over the file. */
export async function run(source: ChainSource, file: string, stopped: AbortSignal): Promise<string> {
  await using node = await openNode(file, {
    source,
    nodeId: 'node-1',
    maxTxs: 50_000,
    prepare: ({ watcher }) => void watcher?.on('applied', ({ tip }) => console.log(`slot ${tip.point?.slot}`)),
  });
  await node.pool.submit({ hash: 'c0ffee'.padEnd(64, '0'), payload: new Uint8Array([1, 2, 3]), payloadType: 0 });
  await new Promise((resolve) => stopped.addEventListener('abort', resolve));
  return (await node.pool.status('c0ffee'.padEnd(64, '0'))).stage;
}
