import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { MempoolStore } from 'mempool-core';
import type { Cut } from 'mempool-testkit';
import { inject, test } from 'vitest';
import { hashOf, point, transactions } from '../chain.ts';
import { openPool, ownProxy } from '../own-server.ts';

const cuts: readonly Cut[] = ['before the request', 'after the request', 'before the reply'];

interface Subject {
  readonly verb: string;
  /** Brings the pool to where the verb has something to do. */
  readonly prepare: (store: MempoolStore) => Promise<unknown>;
  readonly call: (store: MempoolStore) => Promise<unknown>;
}

const received = (store: MempoolStore) => store.receive(transactions(1, 2));
const marked = async (store: MempoolStore) => {
  await received(store);
  await store.markInflight([hashOf(1), hashOf(2)]);
};
const confirmed = async (store: MempoolStore) => {
  await marked(store);
  await store.confirm({ point: point(1), seen: [hashOf(1)], unseen: [] });
};
const next = { point: point(2), parent: point(1).hash, seen: [hashOf(2)], unseen: [hashOf(1)] };

const subjects: readonly Subject[] = [
  { verb: 'receive', prepare: async () => undefined, call: received },
  { verb: 'markInflight', prepare: received, call: (store) => store.markInflight([hashOf(2), hashOf(1), hashOf(3)]) },
  { verb: 'markAcknowledged', prepare: marked, call: (store) => store.markAcknowledged([hashOf(1)]) },
  { verb: 'release', prepare: marked, call: (store) => store.release([hashOf(1)]) },
  { verb: 'drop', prepare: marked, call: (store) => store.drop([hashOf(1)], 'unwanted') },
  { verb: 'confirm', prepare: confirmed, call: (store) => store.confirm(next) },
  { verb: 'rollback', prepare: confirmed, call: (store) => store.rollback(null) },
  { verb: 'peekPending', prepare: received, call: (store) => store.peekPending() },
  { verb: 'peekInflight', prepare: marked, call: (store) => store.peekInflight() },
  { verb: 'findInflight', prepare: marked, call: (store) => store.findInflight([hashOf(2)]) },
  { verb: 'checkStatus', prepare: confirmed, call: (store) => store.checkStatus([hashOf(1), hashOf(9)]) },
  {
    verb: 'dumpFinalized',
    prepare: async (store) => {
      await received(store);
      await store.drop([hashOf(1)], 'unwanted');
    },
    call: (store) => store.dumpFinalized(),
  },
  { verb: 'tip', prepare: confirmed, call: (store) => store.tip({ points: 5 }) },
  { verb: 'usage', prepare: confirmed, call: (store) => store.usage() },
];

/** All that can be read of a small pool, its events too. */
async function contents(store: MempoolStore) {
  const { lastEventSeq } = await store.usage();
  const events: unknown[] = [];
  if (lastEventSeq > 0)
    for await (const event of await store.subscribe({ after: 0 })) {
      events.push(event);
      if (events.length === lastEventSeq) break;
    }
  return {
    events,
    usage: await store.usage(),
    tip: await store.tip({ points: 10 }),
    pending: await store.peekPending(),
    inflight: await store.peekInflight(),
    log: await store.dumpFinalized(),
  };
}

for (const { verb, prepare, call } of subjects)
  for (const cut of cuts)
    test(`X2, X5: ${verb} cut ${cut} happens exactly once`, async () => {
      const url = inject('redisUrl');
      const proxy = await ownProxy(url);
      const { store: undisturbed } = await openPool({ url, pool: `undisturbed-${randomUUID()}` });
      const { store } = await openPool({ url: proxy.url, pool: `cut-${randomUUID()}` });
      await prepare(undisturbed);
      await prepare(store);
      const cutting = proxy.cutNext(cut);
      assert.deepEqual(await call(store), await call(undisturbed));
      await cutting;
      assert.deepEqual(await contents(store), await contents(undisturbed));
    });
