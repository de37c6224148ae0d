import type {
  ChainPoint,
  DropReason,
  Limits,
  ReceiveOutcome,
  RollbackOutcome,
  RollbackTarget,
  TipAnswer,
  TransactionStatus,
  Usage,
} from 'mempool-core';
import { toJsonValue } from 'mempool-core';
import { Failure } from '../terminal/exit-code.ts';
import { failureOf } from '../terminal/failure-of.ts';
import { resumingEvents } from './event-source.ts';
import { type ApiRequest, type HttpClient, ProblemFailure } from './http-client.ts';
import {
  type Awaited,
  type AwaitOptions,
  type CallOptions,
  type ChangeOptions,
  type ChangeVerb,
  doneWords,
  type EventOptions,
  type GivenTransaction,
  type List,
  type Row,
  type Target,
  type Told,
  type ToldEvent,
} from './target.ts';

interface Page {
  readonly items: readonly Row[];
  readonly next: string | null;
}

/** The longest that one request waits. */
const waitMs = 30_000;

/** A pool behind the HTTP API of a server. */
export class ServerTarget implements Target {
  readonly client: HttpClient;
  readonly #onLost: (reason: string) => void;

  /** @param onLost told when a stream of events has lost its connection, and connects again */
  constructor(client: HttpClient, onLost: (reason: string) => void) {
    this.client = client;
    this.#onLost = onLost;
  }

  async submit(
    { hash, payload, payloadType }: GivenTransaction,
    { operationId, signal }: ChangeOptions,
  ): Promise<Told<ReceiveOutcome>> {
    const request = { method: 'POST', path: '/transactions', headers: keyed(operationId), signal } as const;
    if (hash === null) return this.#outcome({ ...request, body: payload, query: { payloadType } });
    return this.#outcome({ ...request, body: toJsonValue({ hash, payload, payloadType }) });
  }

  async status(hash: string, { signal }: CallOptions): Promise<Told<TransactionStatus>> {
    const { status } = await this.#ask(hash, {}, signal);
    return status;
  }

  /** Waits for a stage. A long wait uses several requests. */
  async waitFor(hash: string, { stage, timeoutMs, signal }: AwaitOptions): Promise<Awaited> {
    for (let leftMs = timeoutMs; ; leftMs -= waitMs) {
      const timeout = `${Math.max(0, Math.min(leftMs, waitMs))}ms`;
      const { status, waited } = await this.#ask(hash, { wait: stage, timeout }, signal);
      if (waited !== 'timeout' || leftMs <= waitMs) return { kind: waited ?? 'timeout', status };
    }
  }

  async #ask(
    hash: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<{ readonly status: Told<TransactionStatus>; readonly waited: Awaited['kind'] | undefined }> {
    type Answer = Told<TransactionStatus> & { readonly waited?: Awaited['kind'] };
    try {
      const { waited, ...status } = await this.client.json<Answer>({ path: `/transactions/${hash}`, query, signal });
      return { status, waited };
    } catch (error) {
      if (!(error instanceof ProblemFailure) || error.body.hash !== hash || error.body.status !== 404) throw error;
      return { status: unknown(hash), waited: error.body.waited as Awaited['kind'] | undefined };
    }
  }

  async *list(list: List, { signal }: CallOptions): AsyncGenerator<Row, undefined> {
    for (let after: string | undefined; ; ) {
      const query = { stage: list, limit: 1_000, after };
      const page = await this.client.json<Page>({ path: '/transactions', query, signal });
      for (const { key: _, ...row } of page.items) yield row as Row;
      if (page.next === null) return;
      after = page.next;
    }
  }

  async *events({ hashes, after, signal }: EventOptions): AsyncGenerator<ToldEvent, undefined> {
    const hash = hashes.length === 1 ? hashes[0] : undefined;
    const wanted = new Set(hashes);
    const stream = { client: this.client, path: '/events', after, query: { hash }, signal, onLost: this.#onLost };
    for await (const event of resumingEvents<ToldEvent>(stream)) if (isAsked(event, wanted)) yield event;
  }

  async tip(points: number, { signal }: CallOptions): Promise<Told<TipAnswer>> {
    const tip = await this.client.json<Told<TipAnswer>>({ path: '/tip', signal });
    if (points === 0) return { ...tip, points: [] };
    const query = { limit: Math.min(points, 1_000) };
    const { items } = await this.client.json<{ items: ChainPoint[] }>({ path: '/blocks', query, signal });
    return { ...tip, points: items };
  }

  usage({ signal }: CallOptions): Promise<Told<Usage>> {
    return this.client.json({ path: '/usage', signal });
  }

  drop(hashes: readonly string[], reason: DropReason, options: ChangeOptions): Promise<readonly string[]> {
    return this.#each(hashes, 'drop', { reason }, options);
  }

  complete(hashes: readonly string[], options: ChangeOptions): Promise<readonly string[]> {
    return this.#each(hashes, 'complete', {}, options);
  }

  release(
    hashes: readonly string[],
    { notBeforeMs, ...options }: ChangeOptions & { readonly notBeforeMs?: number | undefined },
  ): Promise<readonly string[]> {
    return this.#each(hashes, 'release', { notBeforeMs }, options);
  }

  /** Changes one after the other, and returns those that changed. @throws `Failure` naming those, if a later one fails */
  async #each(
    hashes: readonly string[],
    verb: ChangeVerb,
    body: object,
    { operationId, signal }: ChangeOptions,
  ): Promise<string[]> {
    const changed: string[] = [];
    for (const [i, hash] of hashes.entries()) {
      const headers = keyed(operationId === undefined || hashes.length === 1 ? operationId : `${operationId}/${i}`);
      const path = `/transactions/${hash}/${verb}`;
      try {
        if (await this.#changed({ method: 'POST', path, body, headers, signal })) changed.push(hash);
      } catch (error) {
        throw changed.length === 0 || signal.aborted ? error : partly(verb, changed, error);
      }
    }
    return changed;
  }

  async #changed(request: ApiRequest): Promise<boolean> {
    try {
      return (await this.client.json<{ readonly changed: boolean }>(request)).changed;
    } catch (error) {
      if (error instanceof ProblemFailure && error.body.status === 404 && error.body.hash !== undefined) return false;
      throw error;
    }
  }

  async rollback(to: RollbackTarget, { operationId, signal }: ChangeOptions): Promise<Told<RollbackOutcome>> {
    const headers = keyed(operationId);
    return this.#outcome({ method: 'POST', path: '/rollback', body: { to }, headers, signal });
  }

  /** The pool's answer, also if it is a refusal. */
  async #outcome<T extends { readonly kind: string }>(request: ApiRequest): Promise<T> {
    try {
      return await this.client.json<T>(request);
    } catch (error) {
      if (error instanceof ProblemFailure && isOutcome<T>(error.body.outcome)) return error.body.outcome;
      throw error;
    }
  }

  limits({ signal }: CallOptions): Promise<Told<Limits>> {
    return this.client.json({ path: '/limits', signal });
  }

  setLimits(limits: Partial<Limits>, { operationId, signal }: ChangeOptions): Promise<Told<Limits>> {
    const body = toJsonValue(limits);
    return this.client.json({ method: 'PATCH', path: '/limits', body, headers: keyed(operationId), signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A server needs no goodbye.
  }
}

/** The failure of a later one, with what was changed before it. */
function partly(verb: ChangeVerb, changed: readonly string[], error: unknown): Failure {
  const { exitCode, message, code } = failureOf(error);
  const done = doneWords[verb];
  return new Failure(exitCode, `${message}; before that, ${changed.length} were ${done}: ${changed.join(', ')}`, code);
}

function keyed(operationId: string | undefined): Readonly<Record<string, string | undefined>> {
  return { 'idempotency-key': operationId };
}

function isOutcome<T extends { readonly kind: string }>(value: unknown): value is T {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

function unknown(hash: string): Told<TransactionStatus> {
  const counters = { confirmations: 0, nonConfirmations: 0, attempts: 0 };
  return { hash, stage: 'Unknown', ...counters, confirmedAt: null, reason: null, receivedAt: null, notBefore: null };
}

/** True for an event that was asked for: of one of these transactions, or any if there are none. A loss concerns everybody. */
function isAsked(event: ToldEvent, hashes: ReadonlySet<string>): boolean {
  return hashes.size === 0 || event.kind === 'lagged' || ('hash' in event && hashes.has(event.hash));
}
