import { checkHash, checkRead, checkReason, checkWrite } from '../boundary/arguments.ts';
import { asChecked } from '../boundary/checked-once.ts';
import type { CheckedStore } from '../boundary/checked-store.ts';
import { callNames } from '../boundary/option-names.ts';
import { checkGuard } from '../boundary/pool-arguments.ts';
import type { DropOptions, ReadOptions, ReleaseOptions, WriteOptions } from '../contract/call-options.ts';
import { type DropReason, readReason, reasonText } from '../contract/drop-reason.ts';
import type { MoveVerb } from '../contract/lifecycle.ts';
import type { TransactionStatus } from '../contract/transaction.ts';
import type { Batched, CallTrace } from './batches.ts';
import type { PoolCalls } from './pool-calls.ts';

/** The calls for one transaction that share calls of many, except submissions. */
export class Singles {
  readonly #calls: PoolCalls;
  readonly #status: Batched<string, TransactionStatus>;

  constructor(calls: PoolCalls) {
    const { store } = calls;
    this.#calls = calls;
    this.#status = {
      name: 'status',
      kind: 'read',
      send: (hashes, { signal }) => store.checkStatus(asChecked(hashes), { signal }),
    };
  }

  async status(hash: string, options: ReadOptions | undefined, trace: CallTrace | null): Promise<TransactionStatus> {
    return this.#add(this.#status, hash, checkRead(options), trace);
  }

  async move(
    verb: MoveVerb,
    hash: string,
    options: ReleaseOptions | undefined,
    trace: CallTrace | null,
  ): Promise<boolean> {
    const context = checkWrite(options, moveNames[verb]);
    const guard = checkGuard(options);
    const send = (store: CheckedStore, hashes: readonly string[], to: WriteOptions) =>
      store[verb](hashes, { ...to, ...guard });
    return this.#add(this.#changing(nameOf(verb, guard), send), hash, context, trace);
  }

  async drop(
    hash: string,
    reason: DropReason,
    options: DropOptions | undefined,
    trace: CallTrace | null,
  ): Promise<boolean> {
    const context = checkWrite(options, callNames.drop);
    const guard = checkGuard(options);
    const why = readReason(checkReason(reason));
    const send = (store: CheckedStore, hashes: readonly string[], to: WriteOptions) =>
      store.drop(hashes, why, { ...to, ...guard });
    return this.#add(this.#changing(nameOf(`drop ${reasonText(why)}`, guard), send), hash, context, trace);
  }

  /** The answer to a call is true if its transaction changed. If several calls name one hash, only the first gets true. */
  #changing(
    name: string,
    send: (store: CheckedStore, hashes: readonly string[], to: WriteOptions) => Promise<string[]>,
  ): Batched<string, boolean> {
    return {
      name,
      kind: 'write',
      send: async (hashes, to) => {
        const left = new Set(await send(this.#calls.store, asChecked(hashes), to));
        return hashes.map((hash) => left.delete(hash));
      },
    };
  }

  #add<Answer>(
    batched: Batched<string, Answer>,
    given: string,
    context: WriteOptions,
    trace: CallTrace | null,
  ): Promise<Answer> {
    const hash = checkHash('hash', given);
    return this.#calls.single(batched, { item: hash, hash, bytes: 0, trace }, context);
  }
}

const moveNames = {
  markInflight: callNames.write,
  markAcknowledged: callNames.claim,
  release: callNames.release,
} as const;

/** Calls share if they have the same guard, too (P19, P20, P23). */
function nameOf(name: string, guard: object): string {
  return Object.keys(guard).length === 0 ? name : JSON.stringify([name, guard]);
}
