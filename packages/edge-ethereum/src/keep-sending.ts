import { setTimeout as delay } from 'node:timers/promises';
import { isMempoolError, type Mempool, UnrecoverableError } from 'mempool-core';
import { RpcFailure, rpcCall } from './node-call.ts';

/** Options of `keepSending`. */
export interface SendingOptions {
  /** The JSON-RPC URL of the node. */
  readonly url: string;
  /** Ends the sending. */
  readonly signal: AbortSignal;
  /** How often the node is asked whether it still has what was sent and is not in the blocks since, in milliseconds; default 500. */
  readonly lookMs?: number | undefined;
  /** How long a killed sender's transactions wait for another one, in milliseconds; default 5,000. */
  readonly claimMs?: number | undefined;
  /** A transaction that the node refuses at this attempt or a later one is dropped as `failed`; default: none is. */
  readonly attempts?: number | undefined;
  /** Receives each refusal of the node, and the error of a node that does not answer. */
  readonly report?: ((error: unknown) => void) | undefined;
}

/**
 * Sends the pool's transactions to a node in their order, whole and signed as they are, and sends again what the node has forgotten: when
 * it was restarted, or its chain went back. It ends with the signal. Any number of processes may do it for one pool.
 * @throws an error of the pool that is not retryable
 */
export async function keepSending(pool: Mempool, options: SendingOptions): Promise<void> {
  const { signal, claimMs = 5_000 } = options;
  const sending = pool.work(({ payload }, { attempt }) => send(payload, attempt, options), {
    concurrency: 1,
    claimMs,
    attempts: Number.POSITIVE_INFINITY,
    backoff: (attempt) => Math.min(200 * 2 ** (attempt - 1), 5_000),
    signal,
  });
  await Promise.all([sending, keepLooking(pool, options)]);
}

/** A node that has the transaction already, in its pool or in a block, is content. Whether it is in a block, the chain tells. */
async function send(payload: Uint8Array, attempt: number, options: SendingOptions): Promise<void> {
  const { url, signal, attempts = Number.POSITIVE_INFINITY, report } = options;
  try {
    await rpcCall(url, 'eth_sendRawTransaction', [`0x${Buffer.from(payload).toString('hex')}`], signal);
  } catch (error) {
    const isRefusal = error instanceof RpcFailure;
    if (isRefusal && /already known|known transaction|nonce too low/i.test(error.message)) return;
    report?.(error);
    throw isRefusal && attempt >= attempts ? new UnrecoverableError(error.message, { cause: error }) : error;
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

/** Most are in the next block. Only of those that were not the node is asked. */
async function releaseForgotten(pool: Mempool, { url, signal }: SendingOptions): Promise<void> {
  for await (const { hash, stage, nonConfirmations } of pool.inflight())
    if (stage === 'Acknowledged' && nonConfirmations > 0 && !signal.aborted) {
      const known = await rpcCall(url, 'eth_getTransactionByHash', [`0x${hash}`], signal);
      if (known === null) await pool.release(hash);
    }
}
