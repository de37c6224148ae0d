import type { RecordPage } from 'mempool-ledger/backend';
import type { Fault, Group } from '../third-party.ts';
import { after, front, given, optioned, replaced, waiting, wrong } from './replacing.ts';

const retention: readonly Fault[] = [
  wrong('ids-never-expire', 'an id is never too old', 'verdict', (right, _, request) =>
    right({ ...request, issuedAt: null }),
  ),
  after('trimmed-ids-by-retention', 'what was trimmed counts by the retention of now alone', 'forget', (_, model) => {
    model.trimmedAt = Number.NEGATIVE_INFINITY;
  }),
  optioned('trims-always', 'records are trimmed without a retention', 'trim', ({ retentionMs, ...options }) => ({
    ...options,
    retentionMs: retentionMs ?? -1e9,
  })),
  optioned('trims-young', 'a retention is taken for seconds', 'trim', ({ retentionMs, ...options }) => ({
    ...options,
    retentionMs: retentionMs && retentionMs / 1e6 - 400_000,
  })),
  after('trims-without-opening', 'what is trimmed is forgotten', 'forget', (_, model) => {
    model.opened.clear();
  }),
  wrong('trims-pending', 'pending reservations are trimmed', 'trim', async (right, model, limit) => {
    for (const [id, stored] of model.kept)
      if (stored.state === 'pending') model.kept.set(id, { ...stored, state: 'posted' });
    return right(limit);
  }),
  wrong('trimmed-refusals-count', 'trimmed refusals count for ever', 'forget', (right, model, raw) => {
    const refusals = new Map(model.refusals);
    right(raw);
    model.refusals = refusals;
  }),
];

function paged(id: string, title: string, change: (page: RecordPage, after: number) => RecordPage): Fault {
  return wrong(id, title, 'records', async (right, _, after, limit) => change(await right(after, limit), after));
}

const streams: readonly Fault[] = [
  front('stream-without-first', 'a stream begins with the second record', (ledger) => ({
    subscribe: ({ after = 0, ...options }: { after?: number; signal?: AbortSignal } = {}) =>
      ledger.subscribe({ after: Math.max(1, after), ...options }),
  })),
  paged('records-lack-one', 'every page lacks a record', (page) => ({
    ...page,
    records: page.records.toSpliced(1, page.records.length > 2 ? 1 : 0),
  })),
  front('stream-from-start', 'a stream always begins at the start', (ledger) => ({
    subscribe: ({ signal }: { signal?: AbortSignal } = {}) => ledger.subscribe(signal === undefined ? {} : { signal }),
  })),
  front('stream-first-page', 'a stream has one page', (ledger) => ({
    async *subscribe(options: { after?: number; signal?: AbortSignal } = {}) {
      let left = 1_000;
      for await (const event of ledger.subscribe(options)) if (left-- > 0) yield event;
    },
  })),
  wrong(
    'wakes-nobody',
    'a reader that waits is not woken',
    'changed',
    (_, __, ___, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  ),
  replaced('wakes-one', 'one reader is woken, the others wait', 'changed', (right) => {
    let isWaiting = false;
    return async (after, signal) => {
      if (isWaiting) return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      isWaiting = true;
      await right(after, signal);
      isWaiting = false;
    };
  }),
  paged('never-ahead', 'a reader that is ahead waits', (page, after) => ({
    ...page,
    head: Math.max(page.head, after),
  })),
  front('stream-without-signal', 'a stream does not look at its signal', (ledger) => ({
    subscribe: ({ after = 0 }: { after?: number } = {}) => ledger.subscribe({ after }),
  })),
  front('streams-outlive', 'streams go on when the ledger is closed', (ledger) => ({ close: async () => void ledger })),
  front('stream-left-closes', 'a reader that leaves closes the ledger', (ledger) => ({
    async *subscribe(options: { after?: number; signal?: AbortSignal } = {}) {
      try {
        yield* ledger.subscribe(options);
      } finally {
        await ledger.close();
      }
    },
  })),
];

const callers: readonly Fault[] = [
  {
    id: 'bad-options-taken',
    title: 'a wrong retention is left out',
    options: ({ retentionMs, ...rest }) => (Number(retentionMs) > 0 ? { ...rest, retentionMs } : rest),
  },
  given('bad-texts-taken', 'a wrong description is left out', 'transfer', ({ description, ...call }) =>
    typeof description === 'string' ? { ...call, description } : call,
  ),
  given('amounts-as-numbers', 'a number is taken for an amount', 'transfer', (call) => ({
    ...call,
    amount: typeof call.amount === 'number' ? BigInt(Math.trunc(call.amount) || 1) : call.amount,
  })),
  given('zero-posts-all', 'a post of nothing posts all', 'post', ({ amount, ...call }) => ({
    ...call,
    ...(amount && { amount }),
  })),
  given('ids-trimmed', 'ids are trimmed', 'createWallet', (spec) => ({ ...spec, id: spec.id.trim() })),
  given('ids-normalised', 'ids are brought to one form', 'reserve', (call) =>
    call.id === undefined ? call : { ...call, id: call.id.normalize('NFKC') },
  ),
  given('tags-cut', 'tags are cut after 64 characters', 'createWallet', (spec) => ({
    ...spec,
    ...(Array.isArray(spec.tags) && {
      tags: spec.tags.map((tag) => (typeof tag === 'string' ? tag.slice(0, 64) : tag)),
    }),
  })),
  front('read-late', 'a call is read one turn later', (ledger) => ({
    transfer: async (call: Parameters<typeof ledger.transfer>[0]) => {
      await null;
      return ledger.transfer(call);
    },
  })),
  given('malformed-ids-cut', 'too long an id is cut', 'transfer', (call) => ({
    ...call,
    id: String(call.id)
      .slice(0, 128)
      .replace(/[\n\0]/g, ''),
  })),
  front('batch-unlimited', 'a batch may have any length', (ledger) => ({
    batch: async (calls: Parameters<typeof ledger.batch>[0], options: Parameters<typeof ledger.batch>[1]) =>
      calls.length > 1_000 ? [...(await ledger.batch(calls.slice(0, 1_000), options))] : ledger.batch(calls, options),
  })),
  given('malformed-link-skipped', 'a malformed link is left out of its chain', 'batch', (calls) =>
    Array.isArray(calls) ? calls.filter((one) => !('amount' in one) || one.amount !== 0n) : calls,
  ),
  front('empty-batch-refused', 'an empty batch is an error', (ledger) => ({
    batch: async (calls: Parameters<typeof ledger.batch>[0], options: Parameters<typeof ledger.batch>[1]) =>
      calls.length === 0 ? Promise.reject(new Error('empty')) : ledger.batch(calls, options),
  })),
  front('other-name', 'a ledger tells another name', () => ({ name: 'main' })),
  front('open-when-closed', 'a closed ledger still reads', (ledger) => {
    const cached = ledger.wallet('a');
    return { wallet: (id: string) => ledger.wallet(id).catch(() => cached) };
  }),
  front('close-drops', 'a close gives up what is under way', (ledger) => {
    let isClosed = false;
    return {
      transfer: async (call: Parameters<typeof ledger.transfer>[0]) => {
        const answer = await ledger.transfer(call);
        if (isClosed) throw new Error('the ledger was closed');
        return answer;
      },
      close: () => {
        isClosed = true;
        return ledger.close();
      },
    };
  }),
  { id: 'one-for-all', title: 'ledgers of all names are one', named: () => 'main' },
  { id: 'names-cut', title: 'names are cut', named: (name) => name.slice(0, -1) },
];

/** A handle that works on what it read when it was opened. */
const handles: readonly Fault[] = [
  {
    id: 'knows-own-only',
    title: 'a handle tells a repeat of another handle’s call to be new',
    handle(store) {
      const own = new Set<string>();
      return {
        execute: async (requests, options) => {
          const answers = await store.execute(requests, options);
          const told = answers.map((one, i) => ({ ...one, replayed: own.has(requests[i]?.id ?? '') }));
          for (const { id } of requests) own.add(id);
          return told;
        },
      };
    },
  },
  {
    id: 'locks-nobody',
    title: 'handles read, wait and write',
    handle: (_, model) => ({
      execute: async (requests, { linked }) => {
        const before = model.copy();
        await new Promise(setImmediate);
        model.restore(before);
        return model.execute(requests, { linked });
      },
    }),
  },
  {
    id: 'own-readers',
    title: 'a handle wakes its own readers only',
    handle: (store) => {
      let wake = () => {};
      return {
        createWallet: (spec) => store.createWallet(spec).finally(() => wake()),
        changed: (_, signal) =>
          new Promise((resolve) => {
            wake = resolve;
            signal.addEventListener('abort', () => resolve());
          }),
      };
    },
  },
  {
    id: 'vault-each',
    title: 'every handle makes a record of its vault',
    handle: (store, model) => ({
      createWallet: async (spec) => {
        const answer = await store.createWallet(spec);
        if (spec.id === 'vault' && answer.replayed)
          model.append({ type: 'tags', id: 'vault', content: '[]', result: '' });
        return answer;
      },
    }),
  },
  {
    id: 'closes-all',
    title: 'closing a handle closes the ledger',
    handle: (_, model) => ({
      close: async () => {
        model.createWallet = () => Promise.reject(new Error('closed'));
      },
    }),
  },
  {
    id: 'forgets-series',
    title: 'series begin anew when a ledger is opened',
    handle: (store, model) => {
      model.ends.clear();
      return { series: store.series };
    },
  },
  {
    id: 'forgets-refusals',
    title: 'refusals are counted anew when a ledger is opened',
    handle: (store, model) => {
      model.refusals.clear();
      return { series: store.series };
    },
  },
];

/** Those that leave a reader waiting. */
const endless: ReadonlySet<string> = new Set([
  'stream-first-page',
  'stream-without-first',
  'wakes-nobody',
  'wakes-one',
  'never-ahead',
  'stream-without-signal',
  'streams-outlive',
  'own-readers',
]);

export const handleMutants: readonly Group[] = [
  { rules: ['J5', 'J6'], faults: retention },
  { rules: ['S'], faults: streams.map((one) => (endless.has(one.id) ? waiting(one) : one)) },
  { rules: ['A', 'T4/malformed', 'T5/not', 'H2/bounds', 'B1', 'B2/malformed', 'B4', 'C2', 'C5'], faults: callers },
  { rules: ['C3', 'C4'], faults: handles.map((one) => (endless.has(one.id) ? waiting(one) : one)) },
];
