import assert from 'node:assert/strict';
import type { Budget, MempoolStore } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { Random } from 'mempool-testkit';
import { countsOf, cursorAt, intact, placeOf } from '../src/scenario/pool.ts';
import { hashOf, type OpenFifo, transaction } from './fifo-scenario.ts';

const hashCount = 60;

/** What one history draws. */
export class Chance extends Random {
  numbers(): number[] {
    return Array.from({ length: 1 + this.below(6) }, () => 1 + this.below(hashCount));
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
  () => (store) => store.sweep(),
  (chance, n) => {
    const before = chance.below(n);
    return (store) => store.take({}, { owner: 'again', claimMs: 1, operationId: `take ${before}` });
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
  const [budget, claimMs] = [chance.budget(), 1 + chance.below(40)];
  return (store) => store.take(budget, { owner: `owner-${n % 3}`, claimMs, operationId: `take ${n}` });
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
  const bodies = intact(await store.payloads(all));
  return {
    usage: await countsOf(store),
    statuses: await store.checkStatus(all),
    reaped: await store.reap(budget),
    gossip: [placeOf(next), items.map(({ payload, ...item }) => ({ ...item, payload: [...(payload ?? [])] }))],
    bare: [placeOf(bare.next), bare.items],
    bodies: bodies.map((body) => body && [body.payloadType, [...body.payload]]),
  };
}

/** The same calls at the same moments as on a pool in memory: the same answers, and the same to be seen. */
export async function compareHistories(seed: number, open: OpenFifo, steps = 250): Promise<void> {
  const chance = new Chance(seed);
  let now = 1_000;
  const options = { now: () => now, dropThreshold: 3, finalizeThreshold: 2, maxFinalized: 20 };
  await using model = await ephemeral.open(options);
  await using store = await open(options);
  for (let n = 1; n <= steps; n++) {
    now += chance.below(8);
    const call = (draws[chance.below(draws.length)] as Draw)(chance, n);
    assert.deepEqual(await call(store), await call(model), `seed ${seed}, call ${n}`);
    const budget = chance.budget();
    if (n % 5 === 0) assert.deepEqual(await observe(store, budget), await observe(model, budget), `seed ${seed}, ${n}`);
  }
}
