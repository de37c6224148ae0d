import type { WorkDone } from 'mempool-core';
import { epochOfMessage } from '../codec/validator-message.ts';
import { isEnded } from '../rules/phases.ts';
import { Epochs } from '../store/epochs.ts';
import type { Namespace } from '../store/namespace.ts';

/** How messages are sent. */
export interface BroadcastOptions {
  /** The name of this worker, 1–128 printable characters. */
  readonly owner: string;
  /** Ends the broadcast. */
  readonly signal: AbortSignal;
  /** Sends a batch or an endorsement to the other validators. If it throws, the message is sent again soon. */
  readonly gossip: (message: Uint8Array) => void | Promise<void>;
  /**
   * After how long a message is sent again, in milliseconds, while its epoch has not ended; then after twice as long each time,
   * up to 30 s. So it reaches a validator that was cut off. Default 1,000.
   */
  readonly resendMs?: number | undefined;
  /** How long a claim lasts, in milliseconds, at least 100; default 30,000. A living process extends it. */
  readonly claimMs?: number | undefined;
}

const longestResendMs = 30_000;

/** Not an error: the epoch has not ended, and the message is sent again. */
class Again extends Error {}

/** Sends this validator's batches and endorsements until the signal aborts: each at least once, and until its epoch ends. */
export function broadcast(namespace: Namespace, options: BroadcastOptions): Promise<WorkDone> {
  const { owner, signal, gossip, resendMs = 1_000, claimMs } = options;
  const epochs = new Epochs(namespace);
  const send = async ({ payload }: { readonly payload: Uint8Array }): Promise<void> => {
    const epoch = epochOfMessage(payload);
    if (await isOver(epochs, epoch)) return;
    await gossip(payload);
    throw new Again(`epoch ${epoch} has not ended`);
  };
  const backoff = (attempt: number, error: unknown): number =>
    error instanceof Again ? Math.min(longestResendMs, resendMs * 2 ** Math.min(attempt - 1, 30)) : 250;
  return namespace.outgoing.work(send, { owner, claimMs, signal, backoff, attempts: Number.POSITIVE_INFINITY });
}

async function isOver(epochs: Epochs, epoch: number): Promise<boolean> {
  const record = await epochs.find(epoch);
  return record === null || isEnded(record.phase);
}
