import { type ClaimedTransaction, UnrecoverableError, type WorkDone } from 'mempool-core';
import { readValidatorMessage } from '../codec/validator-message.ts';
import type { BatchReason } from '../contract/batch.ts';
import { isTooLate } from '../rules/phases.ts';
import { mostEndorsements } from '../rules/quorum.ts';
import { Batches } from '../store/batches.ts';
import { Epochs } from '../store/epochs.ts';
import type { Namespace } from '../store/namespace.ts';

type Message = Pick<ClaimedTransaction, 'hash' | 'payload'>;

/** How the messages of the other validators are taken. */
export interface CollectOptions {
  /** The name of this worker, 1–128 printable characters. */
  readonly owner: string;
  /** Ends the reading. */
  readonly signal: AbortSignal;
  /** How long a claim lasts, in milliseconds, at least 100; default 30,000. A living process extends it. */
  readonly claimMs?: number | undefined;
}

/** Takes the messages that the gateway has stored until the signal aborts, and keeps the valid ones. */
export function receiveMessages(namespace: Namespace, { owner, signal, claimMs }: CollectOptions): Promise<WorkDone> {
  const check = async (message: Message): Promise<void> => {
    const reason = await receive(namespace, message);
    if (reason !== null) throw new UnrecoverableError(reason, { reason: { app: reason } });
  };
  return namespace.incoming.work(check, { owner, claimMs, signal, backoff: () => 250, attempts: 100 });
}

/** Why a message is refused; `null` if it counts. */
async function receive(namespace: Namespace, { hash, payload }: Message): Promise<BatchReason | null> {
  const message = readValidatorMessage(payload);
  if (message === null) return 'malformed';
  const record = await new Epochs(namespace).find(message.epoch);
  if (record === null || isTooLate(message, record)) return 'late';
  const batches = new Batches(namespace);
  if ('leaves' in message) return batches.keep(message, hash);
  return batches.keepEndorsement(message, hash, mostEndorsements(record.validators.length));
}
