import { randomUUID } from 'node:crypto';
import { Random } from 'mempool-conformance';
import type { Mempool } from 'mempool-core';
import { poolState } from 'mempool-core/backend';
import type { Cut } from 'mempool-testkit';
import { expect, test, vi } from 'vitest';
import { Committer } from '../../src/priority/committer.ts';
import { point } from '../chain.ts';
import { openPool, operator, ownProxy, ownServer } from '../own-server.ts';
import { mirrorNode } from './node.ts';
import { numbers } from './priced.ts';

const cuts: readonly Cut[] = ['before the request', 'after the request', 'before the reply'];
const hashes = numbers(14, 16).map((n) => n.toString(16));

/** Calls of chance on few hashes and tags; with an operation id some are repeated at another node. */
class Caller {
  readonly #random: Random;
  readonly #stores: readonly Mempool[];
  readonly seqs: number[] = [];
  #blocks = 0;

  constructor(random: Random, stores: readonly Mempool[]) {
    this.#random = random;
    this.#stores = stores;
  }

  /** A `receive` of a few. */
  async receive(store: Mempool): Promise<void> {
    const id = { operationId: randomUUID() };
    const given = this.#some(hashes, 2).map((hash) => this.#submission(hash));
    const outcome = await store.receive(given, id);
    if (this.#random.below(6) === 0) expect(await this.#random.pick(this.#stores).receive(given, id)).toEqual(outcome);
    this.#note(outcome);
  }

  async call(store: Mempool): Promise<void> {
    const random = this.#random;
    const [some, others] = [this.#some(hashes, 4), this.#some(hashes, 4)];
    const id = { operationId: randomUUID() };
    const given = some.map((hash) => this.#submission(hash));
    const calls = [
      ...Array(5).fill((at: Mempool) => at.receive(given, id)),
      (at: Mempool) => at.markInflight(some, id),
      (at: Mempool) => at.drop(some, 'failed', id),
      (at: Mempool) => at.sweep(id),
      ...Array(2).fill((at: Mempool) => at.confirm(block, {}, id)),
      (at: Mempool) => at.rollback(target ?? 'origin', id),
      (at: Mempool) => at.flush(id),
      () => Promise.all([store.peekPending(), store.reap(), store.peekParked()]).then(() => null),
    ] as ((at: Mempool) => Promise<unknown>)[];
    this.#blocks += 1;
    const unseen = others.filter((hash) => !some.includes(hash));
    const block = { point: point(this.#blocks), seen: some, unseen, provides: this.#some(['a', 'b', 'c'], 2) };
    const target = (await store.tip({ points: 3 })).points?.at(-1) ?? null;
    const run = random.pick(calls);
    const outcome = await run(store);
    if (random.below(3) === 0) expect(await run(random.pick(this.#stores))).toEqual(outcome);
    if (Array.isArray(outcome)) this.#note(outcome);
  }

  #note(outcome: readonly { readonly kind?: string; readonly seq?: number | undefined }[]): void {
    for (const { kind, seq } of outcome) if (kind === 'received' && seq !== undefined) this.seqs.push(seq);
  }

  #submission(hash: string) {
    const [provides, requires] = [this.#some(['a', 'b', 'c'], 2), this.#some(['a', 'b', 'c'], 1)];
    const priority = BigInt(this.#random.below(50));
    return { hash, payload: Buffer.from(randomUUID()), payloadType: 0, verdict: { priority, provides, requires } };
  }

  #some<T>(items: readonly T[], most: number): T[] {
    return this.#random.shuffled(items).slice(0, 1 + this.#random.below(most));
  }
}

const cases = [
  ...numbers(3).map((seed) => ({ seed, nodes: 3, verb: 'call' as const })),
  ...numbers(3).map((seed) => ({ seed, nodes: 6, verb: 'receive' as const })),
];

test.for(cases)(
  'N1: nodes whose connections are cut again and again agree on one pool ($nodes nodes, $verb, $seed)',
  {
    timeout: 60_000,
  },
  async ({ seed, nodes, verb }) => {
    const [{ url }, pool, random] = [await ownServer(), randomUUID(), new Random(seed)];
    const proxies = await Promise.all(numbers(nodes).map(() => ownProxy(url)));
    const attempts = vi.spyOn(Committer.prototype, 'attempt');
    const options = {
      pool,
      ordering: 'priority',
      maxTxs: 5,
      maxFinalized: 1 + random.below(3),
      maxRollback: 3,
    } as const;
    const thresholds = { finalizeThreshold: 2, dropThreshold: 2, timeoutMs: 30_000 };
    const opened = proxies.map((proxy) => openPool({ url: proxy.url, ...options, ...thresholds }));
    const stores = (await Promise.all(opened)).map(({ store }) => store);
    const caller = new Caller(random, stores);
    const admin = operator(url);
    const key = (name: string) => `{${pool}}:${name}`;
    const calling = async (): Promise<unknown> =>
      Promise.all(
        stores.map(async (store, node) => {
          for (const _ of numbers(80)) {
            if (random.below(6) === 0) void proxies[node]?.cutNext(random.pick(cuts));
            if (random.below(30) === 0) await admin.del(key('changes'));
            await caller[verb](store);
          }
        }),
      );
    const kinds = async (): Promise<ReadonlySet<string>> => {
      const tried = await Promise.allSettled(attempts.mock.results.map(({ value }) => value));
      return new Set(tried.map((each) => (each.status === 'fulfilled' ? each.value.kind : 'cut')));
    };
    // Until nodes were in each other's way, and some of their commits were cut off: a call may win each race, and a cut may miss.
    do await calling();
    while (!(await kinds()).isSupersetOf(new Set(['behind', 'blocked', 'cut'])));
    attempts.mockRestore();
    const node = mirrorNode(url, pool);
    const stored = await node.stored();
    expect(await node.remembered()).toEqual(stored);
    for (const store of stores) expect(await poolState(store)).toMatchObject(stored);
    const usage = (await stores[0]?.usage()) as Awaited<ReturnType<Mempool['usage']>>;
    for (const store of stores) expect(await store.usage()).toEqual(usage);
    expect(new Set(caller.seqs).size).toBe(caller.seqs.length);
    const known = await admin.zcard(key('idx'));
    expect([await admin.hlen(key('body')), await admin.hlen(key('entries'))]).toEqual([known, known]);
    expect(await admin.hlen(key('log'))).toBe(usage.logged);
    expect(await admin.zcard(key('flight'))).toBe(usage.propagated + usage.acknowledged + usage.confirmed);
  },
);
