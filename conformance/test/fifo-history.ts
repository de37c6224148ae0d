import assert from 'node:assert/strict';
import type { Budget, MempoolStore } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { Random } from 'mempool-testkit';
import { eventsToCompare } from '../src/histories/observation.ts';
import { countsOf, cursorAt, placeOf, readable, take, tipOf } from '../src/scenario/pool.ts';
import { hashOf, type OpenFifo, transaction } from './fifo-scenario.ts';

const hashCount = 60;

/** What one history draws. */
export class Chance extends Random {
  /** The pool's time. */
  now = 0;
  /** The arguments of each `take`, for a repeat. */
  readonly takes = new Map<string, readonly [Budget, { readonly owner: string; readonly claimMs: number }]>();

  /** The id of a claim, mostly of one that was made. */
  claim(): string {
    const ids = [...this.takes.keys()];
    return ids.length > 0 && this.below(8) > 0 ? (ids.at(-1 - this.below(Math.min(6, ids.length))) as string) : 'none';
  }

  numbers(): number[] {
    return Array.from({ length: 1 + this.below(6) }, () => 1 + this.below(hashCount));
  }

  /** The caller's time, mostly none: around the pool's, so that some are later. */
  moment(): { readonly now?: number } {
    return this.below(6) === 0 ? { now: Math.max(0, this.now - 30 + this.below(40)) } : {};
  }

  hashes(): string[] {
    return [...new Set(this.numbers().map(hashOf))];
  }

  budget(): Budget {
    const maxBytes = this.below(3) === 0 ? {} : { maxBytes: this.below(400) };
    return { ...maxBytes, maxTxs: this.below(8), skip: this.below(3), overheadBytes: this.below(5) };
  }
}

type Call = (store: MempoolStore) => Promise<unknown>;
type Draw = (chance: Chance, n: number) => Call;

const blockOf = (n: number) => ({ slot: n, hash: n.toString(16).padStart(64, 'b') });

/** What is drawn, each as often as it stands here. */
const draws: readonly Draw[] = [
  receiving,
  receiving,
  receiving,
  taking,
  taking,
  taking,
  moving('markInflight'),
  moving('markAcknowledged'),
  moving('release'),
  guarding,
  guarding,
  holding,
  holding,
  (chance) => {
    const [claim, claimMs, moment] = [chance.claim(), 1 + chance.below(40), chance.moment()];
    return (store) => store.extendClaim(claim, claimMs, moment);
  },
  (chance) => {
    const hashes = chance.hashes();
    return (store) => store.drop(hashes, 'failed');
  },
  (chance, n) => {
    const [seen, unseen] = [chance.hashes(), chance.hashes()];
    const block = { point: blockOf(n), seen, unseen: unseen.filter((hash) => !seen.includes(hash)) };
    return (store) => store.confirm(block);
  },
  (chance) => {
    const depth = chance.below(4);
    return async (store) => store.rollback((await store.tip({ points: 9 })).points[depth] ?? 'origin');
  },
  (_, n) => (store) => store.sweep({ operationId: `sweep ${n}` }),
  (chance) => {
    const moment = chance.moment();
    return (store) => store.sweep({ ...moment, overLimits: true });
  },
  (chance) => {
    const operationId = chance.claim();
    const [budget, options] = chance.takes.get(operationId) ?? [{}, { owner: 'nobody', claimMs: 1 }];
    return (store) => store.take(budget, { ...options, operationId });
  },
  (chance) => {
    const maxTxs = chance.below(2) === 0 ? Number.POSITIVE_INFINITY : chance.below(30);
    return (store) => store.setLimits({ maxTxs });
  },
  (chance, n) => (chance.below(5) === 0 ? (store) => store.flush({ operationId: `flush ${n}` }) : async () => null),
];

function receiving(chance: Chance): Call {
  const given = chance.numbers().map((n) => transaction(n, n));
  return (store) => store.receive(given);
}

function taking(chance: Chance, n: number): Call {
  const [budget, options] = [chance.budget(), { owner: `owner-${n % 3}`, claimMs: 1 + chance.below(40) }];
  const [operationId, moment] = [`take ${n}`, chance.moment()];
  chance.takes.set(operationId, [budget, options]);
  return async (store) => {
    const { transactions, ...claim } = await store.take(budget, { ...options, ...moment, operationId, payloads: true });
    return {
      claim,
      transactions: transactions.map((one) => ('kind' in one ? one : { ...one, payload: [...one.payload] })),
    };
  };
}

/** P19: calls of a worker, which may come after the end of its claim. */
function guarding(chance: Chance): Call {
  const [hashes, claim, which] = [chance.hashes(), chance.claim(), chance.below(3)];
  return async (store) => {
    const named = [...hashes, ...hashesIn(await store.peekInflight({ limit: 5 }))];
    if (which === 0) return store.markAcknowledged(named, { claim });
    return which === 1 ? store.release(named, { claim }) : store.drop(named, 'failed', { claim });
  };
}

/** P20. */
function holding(chance: Chance): Call {
  const [notBefore, most] = [chance.below(60) - 5, 1 + chance.below(12)];
  return async (store) => {
    const found = await store.peekInflight({ limit: most });
    const notBeforeMs = Math.max(0, chance.now + notBefore);
    return store.release(hashesIn(found), { notBeforeMs });
  };
}

function moving(verb: 'markInflight' | 'markAcknowledged' | 'release'): Draw {
  return (chance) => {
    const hashes = chance.hashes();
    return (store) => store[verb](hashes);
  };
}

/** All that a caller can see of such a pool. */
async function observe(store: MempoolStore, budget: Budget): Promise<unknown> {
  const all = Array.from({ length: hashCount }, (_, i) => hashOf(i + 1));
  const cursor = (place: number) => cursorAt(store, 'gossip', place);
  const { items, next } = await store.since({ after: await cursor(3), limit: 20 });
  const bare = await store.since({ after: await cursor(5), limit: 7, hashesOnly: true });
  const bodies = await store.payloads(all);
  const log = await store.dumpFinalized({ limit: 100 });
  return {
    usage: await countsOf(store),
    oldestInflight: (await store.usage()).oldestInflight,
    log: [log.missed, log.entries.map(readable)],
    inflight: (await store.peekInflight()).transactions.map(readable),
    tip: await tipOf(store, 9),
    statuses: await store.checkStatus(all),
    reaped: await store.reap(budget),
    pending: hashesIn(await store.peekPending()),
    waits: await store.hasPending(),
    gossip: [placeOf(next), items.map(({ payload, ...item }) => ({ ...item, payload: [...(payload ?? [])] }))],
    bare: [placeOf(bare.next), bare.items],
    bodies: bodies.map((body) => body && [body.payloadType, [...body.payload]]),
  };
}

/** The events of one call, and the cursor behind them. */
async function toldBy(store: MempoolStore, after: string, count: number): Promise<[object[], string]> {
  const events = count === 0 ? [] : await take(await store.subscribe({ after }), count);
  return [eventsToCompare(events), events.at(-1)?.cursor ?? after];
}

/** The same calls at the same moments as on a pool in memory: the same answers and events, and the same to be seen. */
export async function compareHistories(seed: number, open: OpenFifo, steps = 250): Promise<void> {
  const chance = new Chance(seed);
  let now = 1_000;
  const options = { now: () => now, dropThreshold: 3, finalizeThreshold: 2, maxFinalized: 20, inflightTtlMs: 20 };
  await using model = await ephemeral.open(options);
  await using store = await open(options);
  let [seen, dueAfter, toldAfter] = [0, 'origin', 'origin'];
  for (let n = 1; n <= steps; n++) {
    // Now and then the clock goes back (E5), or has a fraction.
    now += chance.below(10) === 0 ? -chance.below(20) : chance.below(17) / 2;
    chance.now = Math.floor(now);
    const call = (draws[chance.below(draws.length)] as Draw)(chance, n);
    assert.deepEqual(await call(store), await call(model), `seed ${seed}, call ${n}`);
    const { lastEventSeq } = await model.usage();
    const [due, told] = [
      await toldBy(model, dueAfter, lastEventSeq - seen),
      await toldBy(store, toldAfter, lastEventSeq - seen),
    ];
    assert.deepEqual(told[0], due[0], `seed ${seed}, events of call ${n}`);
    [seen, dueAfter, toldAfter] = [lastEventSeq, due[1], told[1]];
    const budget = chance.budget();
    if (n % 5 === 0) assert.deepEqual(await observe(store, budget), await observe(model, budget), `seed ${seed}, ${n}`);
  }
}

function hashesIn({ transactions }: Awaited<ReturnType<MempoolStore['peekPending']>>): string[] {
  return transactions.map(({ hash }) => hash);
}
