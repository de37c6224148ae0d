import {
  type ConfigFields,
  type DropReason,
  isMempoolError,
  type Limits,
  type LogEntry,
  type Logger,
  limitNames,
  type Mempool,
  type ReceiveOutcome,
  type RollbackOutcome,
  type RollbackTarget,
  type StoredTransaction,
  type TipAnswer,
  type TransactionStatus,
  toJsonValue,
  type Usage,
  type Walked,
} from 'mempool-core';
import { openNode } from 'mempool-node';
import type { ServerConfig } from 'mempool-server';
import { exitCodes, Failure } from '../terminal/exit-code.ts';
import type {
  Awaited,
  AwaitOptions,
  CallOptions,
  ChangeOptions,
  EventOptions,
  GivenTransaction,
  List,
  Row,
  Target,
  Told,
  ToldEvent,
} from './target.ts';

/** Fields that an open would store with the pool. A command that looks at a pool leaves them as they are. */
const storedFields = [...limitNames, 'maxFinalized', 'maxEvents', 'maxRollback'] as const;

/** Opens the existing pool of a configuration. @throws `Failure` with `notFound` if there is no such file */
export async function openExisting({ mempool }: ServerConfig, log?: Logger): Promise<Mempool> {
  const present: Partial<Record<keyof ConfigFields, unknown>> = { ...mempool };
  for (const field of storedFields) delete present[field];
  const create = isInFile(mempool.backend) ? { create: false } : {};
  const config = { ...present, options: { ...mempool.options, ...create } } as ServerConfig['mempool'];
  return await open(config, log).catch((error: unknown) => {
    if (!isInFile(mempool.backend) || !isMempoolError(error, 'ERR_MEMPOOL_INVALID')) throw error;
    if (error.details.field !== 'path') throw error;
    throw new Failure(exitCodes.notFound, `there is no pool at ${mempool.path}: \`mempool serve\` makes one`);
  });
}

/** Opens the pool of a configuration, and makes it if there is none. */
export async function openOrMake({ mempool }: ServerConfig): Promise<Mempool> {
  return open(mempool);
}

function isInFile(backend: string): boolean {
  return backend.startsWith('sqlite');
}

/** No sweeps: a command changes nothing but what it says. */
async function open(mempool: ServerConfig['mempool'], log?: Logger): Promise<Mempool> {
  if (mempool.backend === 'ephemeral') {
    const remedy = 'start it with `mempool serve` and give --url';
    throw new Failure(exitCodes.usage, `an ephemeral pool is in the memory of its own process: ${remedy}`);
  }
  const { pool } = await openNode(mempool, { sweepEveryMs: Number.POSITIVE_INFINITY, log });
  return pool;
}

/** A pool that this process has opened. */
export class StoreTarget implements Target {
  readonly pool: Mempool;
  readonly #hashOf: ServerConfig['hashOf'];

  constructor(pool: Mempool, { hashOf }: ServerConfig) {
    this.pool = pool;
    this.#hashOf = hashOf;
  }

  async submit(
    { hash: given, payload, payloadType }: GivenTransaction,
    options: ChangeOptions,
  ): Promise<Told<ReceiveOutcome>> {
    const hash = given ?? this.#hashOf(payload);
    return told(await this.pool.submit({ hash, payload, payloadType }, options));
  }

  async status(hash: string, options: CallOptions): Promise<Told<TransactionStatus>> {
    return told(await this.pool.status(hash, options));
  }

  async waitFor(hash: string, { stage, timeoutMs, signal }: AwaitOptions): Promise<Awaited> {
    return told(await this.pool.waitFor(hash, { stage, timeoutMs, signal }));
  }

  async *list(list: List, options: CallOptions): AsyncGenerator<Row, undefined> {
    switch (list) {
      case 'pending':
        return yield* rows(this.pool.pending(options));
      case 'inflight':
        return yield* rows(this.pool.inflight(options));
      case 'final':
        return yield* rows(this.pool.finalized(options));
      case 'parked':
        return yield* this.#parked(options);
      case 'best':
        return yield* this.#best(options.signal);
    }
  }

  async *#parked({ signal }: CallOptions): AsyncGenerator<Row, undefined> {
    for (let after: string | undefined; ; ) {
      const { transactions, next } = await this.pool.peekParked({ after, signal });
      for (const { payload, ...row } of transactions) yield told({ ...row, bytes: payload.length });
      if (transactions.length === 0) return;
      after = next;
    }
  }

  async *#best(signal: AbortSignal): AsyncGenerator<Row, undefined> {
    const { pool } = this;
    if (pool.ordering === 'fifo')
      throw new Failure(exitCodes.refused, 'a fifo pool has no order of priority: ls pending');
    for (let after: string | undefined; ; ) {
      const page = await pool.best({ after, limit: 1_000, signal });
      for (const { key, ...candidate } of page) {
        yield told(candidate);
        after = key;
      }
      if (page.length === 0) return;
    }
  }

  async *events({ hashes, after, signal }: EventOptions): AsyncGenerator<ToldEvent, undefined> {
    const only = hashes.length > 0 ? hashes : undefined;
    for await (const event of await this.pool.subscribe({ after, hashes: only, signal })) yield told(event);
  }

  async tip(points: number, options: CallOptions): Promise<Told<TipAnswer>> {
    return told(await this.pool.tip({ ...options, points }));
  }

  async usage(options: CallOptions): Promise<Told<Usage>> {
    return told(await this.pool.usage(options));
  }

  drop(hashes: readonly string[], reason: DropReason, options: ChangeOptions): Promise<readonly string[]> {
    return this.pool.drop(hashes, reason, options);
  }

  complete(hashes: readonly string[], options: ChangeOptions): Promise<readonly string[]> {
    return this.pool.complete(hashes, options);
  }

  release(
    hashes: readonly string[],
    options: ChangeOptions & { readonly notBeforeMs?: number | undefined },
  ): Promise<readonly string[]> {
    return this.pool.release(hashes, options);
  }

  async rollback(target: RollbackTarget, options: ChangeOptions): Promise<Told<RollbackOutcome>> {
    return told(await this.pool.rollback(target, options));
  }

  /** Returns all limits. */
  async limits({ signal }: CallOptions): Promise<Told<Limits>> {
    return told(await this.pool.setLimits({}, { signal }));
  }

  async setLimits(limits: Partial<Limits>, options: ChangeOptions): Promise<Told<Limits>> {
    return told(await this.pool.setLimits(limits, options));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.pool.close();
  }
}

function told<T>(answer: T): Told<T> {
  return toJsonValue(answer) as Told<T>;
}

async function* rows(walk: AsyncIterable<(StoredTransaction | LogEntry) & Walked>): AsyncGenerator<Row, undefined> {
  for await (const { payload, cursor: _, ...row } of walk) yield told({ ...row, bytes: payload.length });
}
