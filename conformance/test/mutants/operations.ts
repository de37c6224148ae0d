import { setImmediate as turn } from 'node:timers/promises';
import { decodeOutcome, encodeOutcome, isMempoolError, type MempoolStore, type WriteOptions } from 'mempool-core';
import { answered, handed, type Mutant } from './mutant.ts';
import type { PlantedDriver, WriteVerb } from './planted-driver.ts';

type Mutating = Pick<MempoolStore, WriteVerb>;
type Call<T> = (options: WriteOptions) => Promise<T>;
/** Makes a call in a changed way. */
type Around = <T>(verb: WriteVerb, options: WriteOptions, call: Call<T>) => Promise<T>;

/** Every mutating verb, made through `around`. */
function every(store: MempoolStore, around: Around): Mutating {
  return {
    receive: (batch, options = {}) => around('receive', options, (given) => store.receive(batch, given)),
    markInflight: (hashes, options = {}) =>
      around('markInflight', options, (given) => store.markInflight(hashes, given)),
    markAcknowledged: (hashes, options = {}) =>
      around('markAcknowledged', options, (given) => store.markAcknowledged(hashes, given)),
    release: (hashes, options = {}) => around('release', options, (given) => store.release(hashes, given)),
    drop: (hashes, reason, options = {}) => around('drop', options, (given) => store.drop(hashes, reason, given)),
    confirm: (block, policy = {}, options = {}) =>
      around('confirm', options, (given) => store.confirm(block, policy, given)),
    rollback: (point, options = {}) => around('rollback', options, (given) => store.rollback(point, given)),
  };
}

function around(id: string, make: (store: MempoolStore) => Around): Mutant {
  return handed(id, (store) => every(store, make(store)));
}

/** Answers an id from its record whatever the call that repeats it is about. */
function unasked(id: string, verbs: readonly WriteVerb[]): Mutant {
  return around(id, () => {
    const records = new Map<string, unknown>();
    return async (verb, options, call) => {
      const { operationId } = options;
      try {
        const outcome = await call(options);
        if (operationId !== undefined && verbs.includes(verb)) records.set(`${verb} ${operationId}`, outcome);
        return outcome;
      } catch (error) {
        const record = records.get(`${verb} ${operationId}`);
        if (record === undefined || !isMempoolError(error, 'ERR_MEMPOOL_INVALID')) throw error;
        return record as Awaited<ReturnType<typeof call>>;
      }
    };
  });
}

/** Keeps records of its own instead of the store's. */
function recording(
  id: string,
  keep: (outcome: unknown, size: number) => boolean,
  key: (verb: WriteVerb, id: string) => string,
): Mutant {
  return around(id, () => {
    const records = new Map<string, Uint8Array>();
    return async (verb, { operationId, ...options }, call) => {
      if (operationId === undefined) return call(options);
      const known = records.get(key(verb, operationId));
      if (known !== undefined) return decodeOutcome(verb, known);
      const outcome = await call(options);
      if (keep(outcome, records.size)) records.set(key(verb, operationId), encodeOutcome(verb, outcome));
      return outcome;
    };
  });
}

const verbs: readonly WriteVerb[] = [
  'receive',
  'markInflight',
  'markAcknowledged',
  'release',
  'drop',
  'confirm',
  'rollback',
];

function ignores(only: WriteVerb): Mutant {
  return around(
    `${only}-records-nothing`,
    () =>
      (verb, { operationId, ...options }, call) =>
        call(verb === only ? options : { ...options, operationId }),
  );
}

function forgets(only: WriteVerb): Mutant {
  return around(`${only}-record-lasts-one-call`, () => {
    let calls = 0;
    let last: readonly [string, unknown] | null = null;
    return async (verb, { operationId, ...options }, call) => {
      calls += 1;
      if (verb !== only || operationId === undefined) {
        last = null;
        return call({ ...options, operationId });
      }
      if (last?.[0] === operationId) return structuredClone(last[1]) as never;
      const outcome = await call({ ...options, operationId: `${calls}` });
      last = [operationId, structuredClone(outcome)];
      return outcome;
    };
  });
}

function oneIdForAll(only: WriteVerb): Mutant {
  return around(
    `${only}-takes-all-ids-for-one`,
    () => (verb, options, call) =>
      call(verb === only && options.operationId !== undefined ? { ...options, operationId: 'the one' } : options),
  );
}

/** Keeps the record under what becomes of the id. */
function filed(id: string, name: (operationId: string) => string): Mutant {
  return around(
    id,
    () =>
      (_, { operationId, ...options }, call) =>
        call(operationId === undefined ? options : { ...options, operationId: name(operationId) || '-' }),
  );
}

function kindOf(outcome: unknown): string {
  return (outcome as { kind?: string } | undefined)?.kind ?? '';
}

const own = (verb: WriteVerb, id: string) => `${verb} ${id}`;
const always = () => true;

/** X2. */
export const operationMutants: readonly Mutant[] = [
  unasked('id-of-other-transactions-answered', ['receive']),
  unasked('id-of-other-hashes-answered', ['markInflight', 'markAcknowledged', 'release']),
  unasked('id-of-other-drops-answered', ['drop']),
  unasked('id-of-another-block-answered', ['confirm']),
  unasked('id-of-another-target-answered', ['rollback']),
  ...verbs.map(ignores),
  ...verbs.map(forgets),
  ...verbs.map(oneIdForAll),
  filed('ids-by-their-first-64-characters', (id) => id.slice(0, 64)),
  filed('ids-by-their-last-64-characters', (id) => id.slice(-64)),
  filed('ids-without-the-128th-character', (id) => id.slice(0, 127)),
  filed('ids-in-lower-case', (id) => id.toLowerCase()),
  filed('ids-trimmed', (id) => id.trim()),
  filed('ids-as-numbers', (id) => (Number.isNaN(Number(id)) ? id : `${Number(id)}`)),
  filed('ids-cleaned', (id) => id.replace(/[^A-Za-z0-9]/g, '-')),
  around('retried-receive-is-judged-by-the-state', (store) => async (verb, options, call) => {
    const before = (await store.usage()).lastEventSeq;
    const outcome = await call(options);
    if (verb !== 'receive' || options.operationId === undefined || (await store.usage()).lastEventSeq > before)
      return outcome;
    return (outcome as unknown as { hash: string }[]).map(({ hash }) => ({
      kind: 'duplicate',
      hash,
      stage: 'Pending',
    })) as never;
  }),
  recording('id-of-another-verb-is-another-id', always, own),
  recording('gap-not-recorded', (outcome) => kindOf(outcome) !== 'gap', own),
  recording('unknown-point-not-recorded', (outcome) => kindOf(outcome) !== 'unknown-point', own),
  recording('nothing-moved-not-recorded', (outcome) => !Array.isArray(outcome) || outcome.length > 0, own),
  recording('duplicate-not-recorded', (outcome) => !Array.isArray(outcome) || kindOf(outcome[0]) !== 'duplicate', own),
  recording('ids-trimmed-of-blanks', always, (_, id) => id.trim()),
  recording('ids-cut-at-64', always, (_, id) => id.slice(0, 64)),
  around(
    'id-of-128-refused',
    () => (_, options, call) =>
      (options.operationId?.length ?? 0) > 127 ? Promise.reject(new Error('too long')) : call(options),
  ),
  around('refusal-uses-the-id', () => {
    const used = new Set<string>();
    return async (_, options, call) => {
      const { operationId } = options;
      if (operationId !== undefined && used.has(operationId)) return [] as never;
      return call(options).catch((error: unknown) => {
        if (operationId !== undefined && isMempoolError(error)) used.add(operationId);
        throw error;
      });
    };
  }),
  around('aborted-call-uses-the-id', () => {
    const used = new Set<string>();
    return async (_, options, call) => {
      const { operationId, signal } = options;
      if (operationId !== undefined && used.has(operationId)) return [] as never;
      if (operationId !== undefined && signal?.aborted) used.add(operationId);
      return call(options);
    };
  }),
  around('remembers-a-thousand-ids', () => {
    const ids: string[] = [];
    return (_, { operationId, ...options }, call) => {
      if (operationId === undefined) return call(options);
      if (!ids.includes(operationId)) ids.push(operationId);
      const place = ids.length - 1 - ids.indexOf(operationId);
      return call({ ...options, operationId: place < 1_000 ? operationId : `again-${operationId}` });
    };
  }),
  answered('looks-up-and-records-in-two-steps', (pool) => {
    const records = new Map<string, unknown>();
    return {
      receive: async (transactions, { operationId, ...context }) => {
        const known = operationId === undefined ? undefined : records.get(operationId);
        await turn();
        if (known !== undefined) return known as ReturnType<PlantedDriver['receive']>;
        const outcome = pool.receive(transactions, { ...context, operationId: undefined });
        if (operationId !== undefined) records.set(operationId, outcome);
        return outcome;
      },
    };
  }),
  answered('repeat-without-an-id-received', (pool) => ({
    receive: (transactions, context) => {
      const outcomes = pool.receive(transactions, context);
      return outcomes.map((outcome) =>
        outcome.kind === 'duplicate'
          ? { kind: 'received', hash: outcome.hash, seq: pool.life(outcome.hash)?.seq ?? 0, stage: 'Pending' }
          : outcome,
      );
    },
  })),
  around('outcome-is-the-record', () => {
    const records = new Map<string, unknown>();
    return async (_, options, call) => {
      const { operationId } = options;
      if (operationId === undefined) return call(options);
      const outcome = records.get(operationId) ?? (await call(options));
      records.set(operationId, outcome);
      return outcome as never;
    };
  }),
  handed('tip-is-the-stores-own', (store) => {
    let last: Awaited<ReturnType<MempoolStore['confirm']>> | null = null;
    return {
      confirm: async (block, policy, options) => {
        const outcome = await store.confirm(block, policy, options);
        if (last?.tip.tick === outcome.tip.tick) return { ...outcome, tip: last.tip };
        last = outcome;
        return outcome;
      },
    };
  }),
];

const everywhere = new Map<string, unknown>();
const users = new Set<MempoolStore>();

/** X2, N2: the records of all open pools in one place. */
export const sharedRecordMutants: readonly Mutant[] = [
  handed('records-of-all-pools-in-one', (store) => {
    users.add(store);
    const around: Around = async (_, options, call) => {
      const { operationId } = options;
      const known = operationId === undefined ? undefined : everywhere.get(operationId);
      if (known !== undefined) return structuredClone(known) as never;
      const outcome = await call(options);
      if (operationId !== undefined) everywhere.set(operationId, structuredClone(outcome));
      return outcome;
    };
    const close = () => {
      users.delete(store);
      if (users.size === 0) everywhere.clear();
      return store.close();
    };
    return { ...every(store, around), close };
  }),
];
