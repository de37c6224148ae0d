import { setImmediate as turn } from 'node:timers/promises';
import type { Life, MempoolStore, MoveVerb, StoredTransaction } from 'mempool-core';
import { answered, decided, handed, type Mutant } from './mutant.ts';
import type { PlantedDriver, WriteVerb } from './planted-driver.ts';

const moves: readonly MoveVerb[] = ['markInflight', 'markAcknowledged', 'release'];

function bySeq(pool: PlantedDriver, hashes: readonly string[]): string[] {
  return hashes.toSorted((a, b) => (pool.life(a)?.seq ?? 0) - (pool.life(b)?.seq ?? 0));
}

/** Changes the records that a verb writes. */
function writing(id: string, on: WriteVerb, alter: (after: Life, pool: PlantedDriver) => Life): Mutant {
  return decided(id, (pool) => (step, verb) => {
    if (verb !== on) return step;
    return { ...step, writes: step.writes.map((write) => ({ ...write, after: alter(write.after, pool) })) };
  });
}

/** What returned by one way is put behind the others. */
function returnedBehind(id: string, way: 'release' | 'confirm' | 'rollback'): Mutant {
  return answered(id, (pool) => {
    const late: string[] = [];
    const note = (hashes: readonly string[]) => {
      for (const { hash, stage } of pool.checkStatus(hashes)) if (stage === 'Pending') late.push(hash);
    };
    const order = ({ hash, seq }: StoredTransaction) => seq + 1_000_000 * (1 + late.indexOf(hash));
    return {
      move: (verb, hashes, context) => {
        const moved = pool.move(verb, hashes, context);
        if (way === 'release' && verb === 'release') note(moved);
        return moved;
      },
      confirm: (block, context) => {
        const outcome = pool.confirm(block, context);
        if (way === 'confirm') note(block.unseen);
        return outcome;
      },
      rollback: (point, context) => {
        const flying = pool.peekInflight(0, 1_000).map(({ hash }) => hash);
        const outcome = pool.rollback(point, context);
        if (way === 'rollback') note(flying);
        return outcome;
      },
      peekPending: (after, limit) => pool.peekPending(after, limit).toSorted((a, b) => order(a) - order(b)),
    };
  });
}

function movesInSeqOrder(only: MoveVerb): Mutant {
  return answered(`${only}-answers-by-seq`, (pool) => ({
    move: (verb, hashes, context) => {
      const moved = pool.move(verb, hashes, context);
      return verb === only ? bySeq(pool, moved) : moved;
    },
  }));
}

function counted(store: MempoolStore, verb: MoveVerb): MempoolStore[MoveVerb] {
  return async (hashes, options) => {
    const moved = new Set(await store[verb](hashes, options));
    return hashes.filter((hash) => moved.has(hash));
  };
}

/** L3, L4, L8, L10. */
export const propagationMutants: readonly Mutant[] = [
  ...moves.map(movesInSeqOrder),
  answered('drop-answers-by-seq', (pool) => ({
    drop: (hashes, reason, context) => bySeq(pool, pool.drop(hashes, reason, context)),
  })),
  handed('moves-a-repeat-twice', (store) => ({ markInflight: counted(store, 'markInflight') })),
  answered('in-flight-waits-still', (pool) => ({
    peekPending: (after, limit) =>
      [
        ...pool.peekPending(after, limit),
        ...pool.peekInflight(after, limit).filter(({ stage }) => stage === 'Propagated'),
      ]
        .toSorted((a, b) => a.seq - b.seq)
        .slice(0, limit),
  })),
  writing('ages-from-the-first-block', 'markInflight', (after) => ({ ...after, tick: 0 })),
  answered('second-mark-resets', (pool) => ({
    move: (verb, hashes, context) => {
      if (verb === 'markInflight') pool.move('release', hashes, { signal: undefined, operationId: undefined });
      return pool.move(verb, hashes, context);
    },
  })),
  answered('payload-lost-in-flight', (pool) => ({
    findInflight: (hashes) =>
      pool.findInflight(hashes).map((found) => found && { ...found, payload: new Uint8Array(0) }),
  })),
  answered('acknowledgement-ignored-after-a-block', (pool) => ({
    move: (verb, hashes, context) => {
      const fresh = (hash: string) => pool.life(hash)?.tick === pool.currentTip.tick;
      return pool.move(verb, verb === 'markAcknowledged' ? hashes.filter(fresh) : hashes, context);
    },
  })),
  writing('acknowledgement-rejuvenates', 'markAcknowledged', (after, pool) => ({
    ...after,
    tick: pool.currentTip.tick,
  })),
  answered('acknowledges-what-waits', (pool) => ({
    move: (verb, hashes, context) => {
      if (verb === 'markAcknowledged') pool.move('markInflight', hashes, { signal: undefined, operationId: undefined });
      return pool.move(verb, hashes, context);
    },
  })),
  decided('mark-remembers-the-first-age', () => {
    const first = new Map<string, number>();
    return (step, verb) => {
      if (verb !== 'markInflight') return step;
      const writes = step.writes.map((write) => {
        const tick = first.get(write.after.hash) ?? write.after.tick;
        first.set(write.after.hash, tick);
        return { ...write, after: { ...write.after, tick } };
      });
      return { ...step, writes };
    };
  }),
  returnedBehind('released-waits-behind', 'release'),
  returnedBehind('unseen-waits-behind', 'confirm'),
  returnedBehind('undone-waits-behind', 'rollback'),
  answered('returned-with-another-seq', (pool) => {
    const returned = new Set<string>();
    return {
      move: (verb, hashes, context) => {
        const moved = pool.move(verb, hashes, context);
        if (verb === 'release') for (const hash of moved) returned.add(hash);
        return moved;
      },
      peekPending: (after, limit) =>
        pool
          .peekPending(after, limit)
          .map((record) => (returned.has(record.hash) ? { ...record, seq: record.seq + 0.5 } : record)),
    };
  }),
  answered('release-leaves-acknowledged', (pool) => ({
    move: (verb, hashes, context) => {
      const propagated = (hash: string) => pool.life(hash)?.stage === 'Propagated';
      return pool.move(verb, verb === 'release' ? hashes.filter(propagated) : hashes, context);
    },
  })),
  answered('reason-in-ascii', (pool) => ({
    drop: (hashes, reason, context) => pool.drop(hashes, reason.replaceAll(/[^ -~]/g, '?'), context),
  })),
  answered('reason-missing-in-the-log', (pool) => ({
    dumpFinalized: (cursor, limit) => {
      const page = pool.dumpFinalized(cursor, limit);
      return { ...page, entries: page.entries.map((entry) => ({ ...entry, reason: null })) };
    },
  })),
  writing('drop-forgets-the-age', 'drop', (after) => ({ ...after, nonConfirmations: 0 })),
  answered('dropped-goes-on-ageing', (pool) => {
    const at = new Map<string, number>();
    return {
      drop: (hashes, reason, context) => {
        for (const hash of hashes) at.set(hash, pool.currentTip.tick);
        return pool.drop(hashes, reason, context);
      },
      checkStatus: (hashes) =>
        pool.checkStatus(hashes).map((status) => {
          const since = status.stage === 'Dropped' ? pool.currentTip.tick - (at.get(status.hash) ?? 0) : 0;
          return { ...status, nonConfirmations: status.nonConfirmations + since };
        }),
    };
  }),
  answered('drop-takes-the-next-one-too', (pool) => ({
    drop: (hashes, reason, context) => {
      const next = pool.peekPending(pool.life(hashes[0] as string)?.seq ?? 0, 1).map(({ hash }) => hash);
      const dropped = new Set(pool.drop([...new Set([...hashes, ...next])], reason, context));
      return hashes.filter((hash) => dropped.has(hash));
    },
  })),
  decided('drop-logs-final-ones-again', (pool) => {
    return (step, verb) => {
      if (verb !== 'drop' || step.writes.length > 0) return step;
      const last = pool.dumpFinalized(0, 1).entries[0];
      const life = last && pool.life(last.hash);
      return life ? { ...step, writes: [{ after: { ...life, reason: 'again' }, point: null, body: null }] } : step;
    };
  }),
  answered('drops-the-confirmed', (pool) => ({
    drop: (hashes, reason, context) => {
      const dropped = new Set(pool.drop(hashes, reason, context));
      return hashes.filter((hash) => dropped.has(hash) || pool.life(hash)?.stage === 'Confirmed');
    },
  })),
  answered('marks-in-two-steps', (pool) => ({
    move: async (verb, hashes, context) => {
      await turn();
      return pool.move(verb, hashes, context);
    },
  })),
];
