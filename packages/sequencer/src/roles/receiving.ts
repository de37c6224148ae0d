import { type ClaimedTransaction, UnrecoverableError, type WorkDone } from 'mempool-core';
import { readValidatorMessage } from '../codec/endorsement.ts';
import type { Batch, BatchReason, Endorsement } from '../contract/batch.ts';
import type { EpochRecord } from '../contract/epoch.ts';
import { agreementDigest, batchDigest } from '../rules/digest.ts';
import { Batches } from '../store/batches.ts';
import { Epochs } from '../store/epochs.ts';
import type { Namespace } from '../store/namespace.ts';
import type { AggregatorOptions } from './aggregator-options.ts';

type Checks = Pick<AggregatorOptions, 'domain' | 'verifyBatch'>;
type Message = Pick<ClaimedTransaction, 'hash' | 'payload'>;

/** How the messages of the other validators are taken. */
export interface CollectOptions {
  /** The name of this worker, 1–128 printable characters. */
  readonly owner: string;
  readonly signal: AbortSignal;
  /** How long a claim lasts, in milliseconds, at least 100; default 30,000. A living process extends it. */
  readonly claimMs?: number | undefined;
}

/** Checks the batches and endorsements of the other validators until the signal aborts, and keeps those that are right. */
export function receiveMessages(
  namespace: Namespace,
  checks: Checks,
  { owner, signal, claimMs }: CollectOptions,
): Promise<WorkDone> {
  const check = async (message: Message): Promise<void> => {
    const reason = await receive(namespace, checks, message);
    if (reason !== null) throw new UnrecoverableError(reason, { reason: { app: reason } });
  };
  return namespace.incoming.work(check, { owner, claimMs, signal, backoff: () => 250, attempts: 100 });
}

/** Why a message is refused; `null` if it counts. @throws if its epoch has not begun here: it is looked at again */
async function receive(namespace: Namespace, checks: Checks, { hash, payload }: Message): Promise<BatchReason | null> {
  const message = readValidatorMessage(payload);
  if (message === null) return 'malformed';
  const record = await new Epochs(namespace).find(message.epoch);
  if (record === null) throw new Error(`epoch ${message.epoch} has not begun here`);
  const { validator, signature } = message;
  if (!record.validators.includes(validator)) return 'unknown-validator';
  const digest = digestOf(message, checks.domain, record.validators);
  if (!(await checks.verifyBatch({ digest, validator, signature }))) return 'bad-signature';
  if (isLate(message, record)) return 'late';
  return keep(new Batches(namespace), message, hash, record);
}

function digestOf(message: Batch | Endorsement, domain: string, validators: readonly string[]): string {
  return 'leaves' in message
    ? batchDigest({ ...message, domain }, validators)
    : agreementDigest({ ...message, domain });
}

/** A batch changes nothing any more when there is a certificate. */
function isLate(message: Batch | Endorsement, { phase, onchain, certifiedAt }: EpochRecord): boolean {
  const isEnded = phase === 'complete' || phase === 'failed';
  return isEnded || ('leaves' in message && (certifiedAt !== null || onchain !== 'pending'));
}

/** An honest validator endorses anew when a batch comes, or a second one of the same validator: at most twice for each. */
function keep(batches: Batches, message: Batch | Endorsement, hash: string, { validators }: EpochRecord) {
  if ('leaves' in message) return batches.keep(message, hash);
  return batches.keepEndorsement(message, hash, 2 * validators.length);
}
