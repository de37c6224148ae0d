import { setImmediate as turn } from 'node:timers/promises';
import { invalid, type ReceiveOutcome, type StoredTransaction, type Transaction } from 'mempool-core';
import { answered, decided, handed, type Mutant, told, withEvents } from './mutant.ts';

type Alter = (record: StoredTransaction) => StoredTransaction;

/** Changes every live record that is read. */
function reading(id: string, alter: Alter): Mutant {
  return answered(id, (pool) => ({
    peekPending: (after, limit) => pool.peekPending(after, limit).map(alter),
    peekInflight: (after, limit) => pool.peekInflight(after, limit).map(alter),
    findInflight: (hashes) => pool.findInflight(hashes).map((found) => found && alter(found)),
  }));
}

function seqOf(outcome: ReceiveOutcome): number {
  return outcome.kind === 'received' ? outcome.seq : 0;
}

/** L1 and L2. */
export const receivingMutants: readonly Mutant[] = [
  answered('newest-first-in-a-call', (pool) => ({
    receive: (transactions, context) => pool.receive(transactions.toReversed(), context).toReversed(),
  })),
  answered('newest-first-when-read', (pool) => ({
    peekPending: (after, limit) => pool.peekPending(after, limit).toReversed(),
  })),
  told('seq-from-one-in-every-call', () => () => ({ lastSeq: 0 })),
  answered('seq-told-is-the-place-in-the-call', (pool) => ({
    receive: (transactions, context) =>
      pool
        .receive(transactions, context)
        .map((outcome, i) => (outcome.kind === 'received' ? { ...outcome, seq: i + 1 } : outcome)),
  })),
  reading('seq-changes-with-the-stage', (record) => ({
    ...record,
    seq: record.seq + (record.stage === 'Acknowledged' ? 1_000 : 0),
  })),
  reading('type-lost', (record) => ({ ...record, payloadType: 0 })),
  reading('type-in-one-byte', (record) => ({ ...record, payloadType: record.payloadType & 0xff })),
  reading('payload-cut-at-4096', (record) => ({ ...record, payload: record.payload.subarray(0, 4_096) })),
  answered('empty-payload-refused', (pool) => ({
    receive: (transactions, context) => {
      if (transactions.some(({ payload }) => payload.length === 0)) throw invalid('payload', 'at least a byte');
      return pool.receive(transactions, context);
    },
  })),
  answered('hashes-of-32-bytes-only', (pool) => ({
    receive: (transactions, context) => {
      if (transactions.some(({ hash }) => hash.length !== 64)) throw invalid('hash', '32 bytes');
      return pool.receive(transactions, context);
    },
  })),
  answered('hashes-known-by-16-bytes', (pool) => {
    const short = (hashes: readonly string[]) => hashes.map((hash) => hash.slice(0, 32));
    return {
      checkStatus: (hashes) =>
        pool
          .checkStatus(hashes)
          .map((status, i) => ({ ...status, stage: pool.checkStatus(short(hashes))[i]?.stage ?? status.stage })),
    };
  }),
  reading('begins-with-an-age', (record) => ({
    ...record,
    nonConfirmations: record.nonConfirmations + (record.stage === 'Pending' ? 1 : 0),
  })),
  answered('duplicate-replaces-the-payload', (pool) => {
    const latest = new Map<string, Transaction>();
    return {
      receive: (transactions, context) => {
        for (const one of transactions) latest.set(one.hash, one);
        return pool.receive(transactions, context);
      },
      peekPending: (after, limit) =>
        pool.peekPending(after, limit).map((record) => ({ ...record, ...latest.get(record.hash) })),
    };
  }),
  answered('hash-twice-in-a-call-received-twice', (pool) => ({
    receive: (transactions, context) => {
      const outcomes = pool.receive(transactions, context);
      const first = new Map(outcomes.toReversed().map((outcome) => [outcome.hash, outcome]));
      return outcomes.map((outcome) => first.get(outcome.hash) ?? outcome);
    },
  })),
  answered('duplicates-answered-last', (pool) => ({
    receive: (transactions, context) =>
      pool.receive(transactions, context).toSorted((a, b) => b.kind.localeCompare(a.kind)),
  })),
  decided('duplicate-makes-an-event', (pool) => (step, verb) => {
    const [one] = verb === 'receive' ? (step.outcome as ReceiveOutcome[]) : [];
    if (one?.kind !== 'duplicate') return step;
    const eventSeq = pool.lastEventSeq + step.events.length + 1;
    const none = { confirmations: 0, nonConfirmations: 0 };
    const previous = { stage: one.stage, ...none };
    const { hash, stage } = one;
    const event = {
      kind: 'transaction',
      eventSeq,
      hash,
      seq: 1,
      stage,
      previous,
      ...none,
      point: null,
      reason: null,
    } as const;
    return { ...step, events: [...step.events, event] };
  }),
  answered('duplicate-takes-a-seq', (pool) => {
    let wasted = 0;
    return {
      receive: (transactions, context) => {
        const outcomes = pool.receive(transactions, context);
        wasted += outcomes.filter(({ kind }) => kind === 'duplicate').length;
        return outcomes;
      },
      usage: () => ({ ...pool.usage(), lastSeq: pool.lastSeq + wasted }),
    };
  }),
  answered('looks-and-receives-in-two-steps', (pool) => ({
    receive: async (transactions, context) => {
      const known = new Set(
        pool
          .checkStatus(transactions.map(({ hash }) => hash))
          .flatMap(({ hash, stage }) => (stage === 'Unknown' ? [] : [hash])),
      );
      await turn();
      return pool
        .receive(transactions, context)
        .map((outcome) =>
          known.has(outcome.hash) || outcome.kind === 'received'
            ? outcome
            : ({ kind: 'received', hash: outcome.hash, seq: seqOf(outcome), stage: 'Pending' } as const),
        );
    },
  })),
  decided('new-life-at-the-old-place', (pool) => (step, verb) => {
    if (verb !== 'receive') return step;
    const writes = step.writes.map((write) => {
      const seq = pool.life(write.after.hash)?.seq ?? write.after.seq;
      return { ...write, after: { ...write.after, seq } };
    });
    return { ...step, writes };
  }),
  decided('new-life-with-the-old-payload', (pool) => (step) => ({
    ...step,
    writes: step.writes.map((write) => (pool.life(write.after.hash) === null ? write : { ...write, body: null })),
  })),
  answered('new-life-with-the-old-reason', (pool) => {
    const reasons = new Map<string, string>();
    return {
      drop: (hashes, reason, context) => {
        for (const hash of hashes) reasons.set(hash, reason);
        return pool.drop(hashes, reason, context);
      },
      checkStatus: (hashes) =>
        pool.checkStatus(hashes).map((status) => ({ ...status, reason: reasons.get(status.hash) ?? status.reason })),
    };
  }),
  answered('dropped-hash-is-a-duplicate', (pool) => ({
    receive: (transactions, context) => {
      const gone = new Set(
        pool
          .checkStatus(transactions.map(({ hash }) => hash))
          .flatMap(({ hash, stage }) => (stage === 'Dropped' ? [hash] : [])),
      );
      const fresh = pool.receive(
        transactions.filter(({ hash }) => !gone.has(hash)),
        context,
      );
      return transactions.map(
        ({ hash }) => fresh.find((outcome) => outcome.hash === hash) ?? { kind: 'duplicate', hash, stage: 'Finalized' },
      );
    },
  })),
  answered('finalized-hash-remembered-for-ever', (pool) => {
    const finalized = new Set<string>();
    return {
      confirm: (block, context) => {
        const outcome = pool.confirm(block, context);
        for (const { hash, stage } of pool.checkStatus(block.seen)) if (stage === 'Finalized') finalized.add(hash);
        return outcome;
      },
      receive: (transactions, context) =>
        pool
          .receive(transactions, context)
          .map((outcome) =>
            finalized.has(outcome.hash) ? { kind: 'duplicate', hash: outcome.hash, stage: 'Finalized' } : outcome,
          ),
    };
  }),
  answered('duplicate-says-pending', (pool) => ({
    receive: (transactions, context) =>
      pool
        .receive(transactions, context)
        .map((outcome) => (outcome.kind === 'duplicate' ? { ...outcome, stage: 'Pending' } : outcome)),
  })),
  handed('receives-one-by-one', (store) => ({
    receive: async (transactions, options) => {
      const outcomes: ReceiveOutcome[] = [];
      for (const one of transactions) outcomes.push(...(await store.receive([one], options)));
      return outcomes;
    },
  })),
  decided(
    'receive-event-tells-no-stage-before',
    () => (step) => withEvents(step, (event) => ({ ...event, previous: { ...event.previous, stage: 'Unknown' } })),
  ),
];
