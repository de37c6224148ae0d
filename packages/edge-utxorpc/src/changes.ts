import type { HandlerContext } from '@connectrpc/connect';
import type { Mempool } from 'mempool-core';
import { EventFeed, type ExtensionParts, Problem } from 'mempool-server/edge';
import { refOf } from './refs.ts';
import { rpcCall } from './rpc-call.ts';
import { submit } from './spec.ts';
import { rpcStages } from './stages.ts';

/**
 * Yields every later change of a stage, with the transaction's bytes if it is still live. A dropped one has the stage
 * UNSPECIFIED.
 * @throws `Problem` 410 if events were lost, 503 if the client is too slow; the pool's error
 */
export async function* changes(
  { pool, hub }: Pick<ExtensionParts, 'pool' | 'hub'>,
  { signal, values }: HandlerContext,
): AsyncGenerator<submit.WatchMempoolResponse, void> {
  const feed = await EventFeed.open(hub, signal, values.get(rpcCall).cut);
  for await (const event of feed) {
    if (event.kind === 'lagged') throw eventsLost();
    if (event.kind !== 'transaction') continue;
    const nativeBytes = await payloadOf(pool, event.hash);
    const tx = new submit.TxInMempool({ ref: refOf(event.hash), nativeBytes, stage: rpcStages[event.stage] });
    yield new submit.WatchMempoolResponse({ tx });
  }
}

async function payloadOf(pool: Mempool, hash: string): Promise<Uint8Array<ArrayBuffer>> {
  const [found = null] = await pool.payloads([hash]);
  return found !== null && 'payload' in found ? new Uint8Array(found.payload) : new Uint8Array();
}

function eventsLost(): Problem {
  return new Problem(410, 'ERR_MEMPOOL_CURSOR', { detail: 'Events were lost. Read the pool again.' });
}
