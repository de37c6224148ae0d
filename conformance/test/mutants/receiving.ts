import { setImmediate as turn } from 'node:timers/promises';
import type { StoredTransaction, Transaction } from 'mempool-core';
import { invalid } from 'mempool-core/backend';
import { fifo } from './fifo.ts';
import type { Mutant } from './mutant.ts';
import { eventOf } from './planted-driver.ts';
import { stores } from './stores.ts';

/** Changes every live record that is read. */
function reading(id: string, change: (record: StoredTransaction) => object | false): Mutant {
  return fifo.each(id, { peekPending: change, peekInflight: change, findInflight: change });
}

/** Refuses a call for one of its transactions. */
function refusing(id: string, field: string, isRefused: (one: Transaction) => boolean): Mutant {
  return fifo.givenEach(id, {
    receive: (one) => {
      if (isRefused(one)) throw invalid(field, 'another');
    },
  });
}

/** L1 and L2. */
export const receivingMutants: readonly Mutant[] = [
  fifo.around('newest-first-in-a-call', {
    receive: ({ pool, given: [all, context] }) => pool.receive(all.toReversed(), context).toReversed(),
  }),
  fifo.told('newest-first-when-read', { peekPending: (page) => page.toReversed() }),
  fifo.view('seq-from-one-in-every-call', () => ({ lastSeq: 0 })),
  fifo.told('seq-told-is-the-place-in-the-call', {
    receive: (told) => told.map((one, i) => ({ ...one, ...(one.kind === 'received' && { seq: i + 1 }) })),
  }),
  reading('seq-changes-with-the-stage', ({ seq, stage }) => stage === 'Acknowledged' && { seq: seq + 1_000 }),
  reading('type-lost', () => ({ payloadType: 0 })),
  reading('type-in-one-byte', ({ payloadType }) => ({ payloadType: payloadType & 0xff })),
  reading('payload-cut-at-4096', ({ payload }) => ({ payload: payload.subarray(0, 4_096) })),
  refusing('empty-payload-refused', 'payload', ({ payload }) => payload.length === 0),
  refusing('hashes-of-32-bytes-only', 'hash', ({ hash }) => hash.length !== 64),
  fifo.each('hashes-known-by-16-bytes', {
    checkStatus: ({ hash }, { pool }) => ({ stage: pool.checkStatus([hash.slice(0, 32)])[0]?.stage }),
  }),
  reading(
    'begins-with-an-age',
    ({ stage, nonConfirmations }) => stage === 'Pending' && { nonConfirmations: nonConfirmations + 1 },
  ),
  fifo.each('duplicate-replaces-the-payload', {
    receive: ({ hash }, { given: [all], notes }) =>
      void notes.patches.set(hash, all.find((one) => one.hash === hash) ?? {}),
    peekPending: ({ hash }, { notes }) => notes.patches.get(hash),
  }),
  fifo.told('hash-twice-in-a-call-received-twice', {
    receive: (told) => told.map(({ hash }) => told.find((one) => one.hash === hash)),
  }),
  fifo.told('duplicates-answered-last', { receive: (told) => told.toSorted((a, b) => b.kind.localeCompare(a.kind)) }),
  fifo.told('duplicate-makes-an-event', {
    receive: ([one], { pool }) => {
      if (one?.kind === 'duplicate') pool.announce([eventOf(one, one.stage)]);
    },
  }),
  fifo.told('duplicate-takes-a-seq', {
    receive: (told, { notes }) => {
      notes.count += told.filter(({ kind }) => kind === 'duplicate').length;
    },
    usage: ({ lastSeq }, { notes }) => ({ lastSeq: lastSeq + notes.count }),
  }),
  fifo.around('looks-and-receives-in-two-steps', {
    receive: async ({ pool, given: [all, context] }) => {
      const before = all.map(({ hash }) => pool.stageOf(hash));
      await turn();
      return pool
        .receive(all, context)
        .map((one, i) => (before[i] === 'Unknown' ? { seq: 0, ...one, kind: 'received', stage: 'Pending' } : one));
    },
  }),
  fifo.writes(
    'new-life-at-the-old-place',
    ({ hash, seq }, verb, pool) => verb === 'receive' && { seq: pool.life(hash)?.seq ?? seq },
  ),
  fifo.decided('new-life-with-the-old-payload', ({ writes }, _, pool) => ({
    writes: writes.map((write) => (pool.life(write.after.hash) === null ? write : { ...write, body: null })),
  })),
  fifo.each('new-life-with-the-old-reason', {
    drop: (hash, { given: [, reason], notes }) => void notes.patches.set(hash, { reason }),
    checkStatus: ({ hash }, { notes }) => notes.patches.get(hash),
  }),
  fifo.around('dropped-hash-is-a-duplicate', {
    receive: ({ pool, given: [all, context] }) => {
      const gone = all.map(({ hash }) => pool.stageOf(hash) === 'Dropped');
      const fresh = pool.receive(
        all.filter((_, i) => !gone[i]),
        context,
      );
      const duplicate = { kind: 'duplicate', stage: 'Finalized' };
      return all.map(({ hash }) => fresh.find((one) => one.hash === hash) ?? { ...duplicate, hash });
    },
  }),
  fifo.told('finalized-hash-remembered-for-ever', {
    confirm: (_, { pool, given: [block], notes }) => {
      for (const { hash } of pool.lives('Finalized', block.seen)) notes.hashes.add(hash);
    },
    receive: (told, { notes }) =>
      told.map(({ hash, ...one }) =>
        notes.hashes.has(hash) ? { kind: 'duplicate', hash, stage: 'Finalized' } : { hash, ...one },
      ),
  }),
  fifo.each('duplicate-says-pending', { receive: ({ kind }) => kind === 'duplicate' && { stage: 'Pending' } }),
  stores.around('receives-one-by-one', {
    receive: async ({ store, given: [all, options] }) => {
      const told = [];
      for (const one of all) told.push(...(await store.receive([one], options)));
      return told;
    },
  }),
  fifo.events('receive-event-tells-no-stage-before', ({ previous }) => ({
    previous: { ...previous, stage: 'Unknown' },
  })),
];
