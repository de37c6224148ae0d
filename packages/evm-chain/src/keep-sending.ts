import { setTimeout as delay } from 'node:timers/promises';
import { isMempoolError, type Mempool } from 'mempool-core';
import { RpcFailure, rpcCall } from './rpc.ts';

/** Options of `keepSending`. */
export interface SendingOptions {
  /** Of the node. */
  readonly url: string;
  readonly signal: AbortSignal;
  /** How often the node is asked whether it still has what was sent, in milliseconds; default 500. */
  readonly lookMs?: number | undefined;
  /** How long a killed sender's transactions wait for another one, in milliseconds; default 5,000. */
  readonly claimMs?: number | undefined;
  /** How often a transaction that the node refuses goes out before it is dropped; default: no end. */
  readonly attempts?: number | undefined;
  /** Is told of a refusal of the node, and of a node that does not answer. */
  readonly report?: ((error: unknown) => void) | undefined;
}

/**
 * Sends the pool's transactions to a node in their order, whole and signed as they are, and sends again what the node has forgotten: when
 * it was restarted, or its chain went back. It ends with the signal. Any number of processes may do it for one pool.
 * @throws an error of the pool that is not retryable
 */
export async function keepSending(pool: Mempool, options: SendingOptions): Promise<void> {
  const { signal, claimMs = 5_000, attempts = Number.POSITIVE_INFINITY } = options;
  const sending = pool.work(({ payload }) => send(payload, options), {
    concurrency: 1,
    claimMs,
    attempts,
    backoff: (attempt) => Math.min(200 * 2 ** (attempt - 1), 5_000),
    signal,
  });
  await Promise.all([sending, keepLooking(pool, options)]);
}

/** A node that has the transaction already, in its pool or in a block, is content. Whether it is in a block, the chain tells. */
async function send(payload: Uint8Array, { url, signal, report }: SendingOptions): Promise<void> {
  try {
    await rpcCall(url, 'eth_sendRawTransaction', [`0x${Buffer.from(payload).toString('hex')}`], signal);
  } catch (error) {
    if (error instanceof RpcFailure && /already known|known transaction|nonce too low/i.test(error.message)) return;
    report?.(error);
    throw error;
  }
}

async function keepLooking(pool: Mempool, options: SendingOptions): Promise<void> {
  const { signal, lookMs = 500, report } = options;
  while (!signal.aborted) {
    await delay(lookMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    await releaseForgotten(pool, options).catch((error: unknown) => {
      if (signal.aborted) return;
      if (isMempoolError(error) && !error.retryable) throw error;
      report?.(error);
    });
  }
}

async function releaseForgotten(pool: Mempool, { url, signal }: SendingOptions): Promise<void> {
  for await (const { hash, stage } of pool.inflight())
    if (stage === 'Acknowledged' && !signal.aborted) {
      const known = await rpcCall(url, 'eth_getTransactionByHash', [`0x${hash}`], signal);
      if (known === null) await pool.release(hash);
    }
}
