import type { Ledger } from 'mempool-ledger';
import type { LedgerStore, RecordPage, Wallet } from 'mempool-ledger/backend';
import type { LedgerModel } from '../../src/model/ledger/model.ts';
import kills from './kills.json' with { type: 'json' };
import type { Fault } from './third-party.ts';

type Method = {
  [K in keyof LedgerModel]: LedgerModel[K] extends (...args: never[]) => unknown ? K : never;
}[keyof LedgerModel];

type Given<K extends Method> = Parameters<LedgerModel[K]>;
type Told<K extends Method> = ReturnType<LedgerModel[K]>;

/** A fault in one method: `change` gets the right one and gives the wrong one, once for each ledger. */
function replaced<K extends Method>(
  id: string,
  title: string,
  name: K,
  change: (right: LedgerModel[K], model: LedgerModel) => LedgerModel[K],
): Fault {
  return {
    id,
    title,
    plant(model) {
      const right = (model[name] as (...args: never[]) => unknown).bind(model) as LedgerModel[K];
      Object.assign(model, { [name]: change(right, model) });
    },
  };
}

/** The same, call by call. */
function wrong<K extends Method>(
  id: string,
  title: string,
  name: K,
  call: (right: LedgerModel[K], model: LedgerModel, ...given: Given<K>) => Told<K>,
): Fault {
  const change = (right: LedgerModel[K], model: LedgerModel) => {
    return ((...given: Given<K>) => call(right, model, ...given)) as LedgerModel[K];
  };
  return replaced(id, title, name, change);
}

/** Something is done behind the right call; or another answer given, where there is one. */
function after<K extends Method>(
  id: string,
  title: string,
  name: K,
  change: (told: Awaited<Told<K>>, model: LedgerModel, ...given: Given<K>) => Awaited<Told<K>> | undefined,
): Fault {
  return wrong(id, title, name, (right, model, ...given) => {
    const changed = (told: Awaited<Told<K>>) => change(told, model, ...given) ?? told;
    const told = (right as (...all: Given<K>) => unknown)(...given);
    return (told instanceof Promise ? told.then(changed) : changed(told as Awaited<Told<K>>)) as Told<K>;
  });
}

/** A fault in what callers get. */
function front(id: string, title: string, change: NonNullable<Fault['front']>): Fault {
  return { id, title, front: change };
}

type Verb = 'transfer' | 'post' | 'reserve' | 'createWallet' | 'batch';

/** The first argument of a verb is taken for another one. */
function given<V extends Verb>(
  id: string,
  title: string,
  verb: V,
  change: (first: Parameters<Ledger[V]>[0]) => Parameters<Ledger[V]>[0],
): Fault {
  return front(id, title, (ledger) => ({
    [verb]: (first: Parameters<Ledger[V]>[0], ...rest: unknown[]) =>
      (ledger[verb] as (...all: unknown[]) => unknown)(change(first), ...rest),
  }));
}

const ids: readonly Fault[] = [
  wrong('forgets-ids', 'a repeat is carried out again', 'known', (right, _, request) => {
    const answer = right(request);
    return answer?.outcome === 'created' ? null : answer;
  }),
];

const money: readonly Fault[] = [
  wrong('source-only', 'the destination is not counted', 'count', (_, model, source, ____, posted, pending) => {
    model.change(source, (one) => ({
      debitsPosted: one.debitsPosted + posted,
      debitsPending: one.debitsPending + pending,
    }));
  }),
  after('void-posts', 'a void moves the money', 'release', (_, model, request) => {
    const { source, destination } = movedBy(model, request.pendingId);
    if (request.kind === 'void') model.count(source, destination, 1n, 0n);
  }),
  after('sweep-nothing', 'a sweep without anything due makes a record', 'sweep', (answer, model) => {
    if (answer.count === 0) model.append({ type: 'tags', id: '~vault', content: '[]', result: '' });
  }),
];

function movedBy(model: LedgerModel, pendingId: string): { readonly source: string; readonly destination: string } {
  const content = model.kept.get(pendingId)?.raw.content;
  const [, source = '', destination = ''] = content === undefined ? [] : (JSON.parse(content) as string[]);
  return { source, destination };
}

const refusals: readonly Fault[] = [
  after('refusal-touches', 'a refusal changes the version of the wallet', 'refuse', (_, model, request) => {
    if ('source' in request && model.wallets_.has(request.source)) model.change(request.source, () => ({}));
  }),
  wrong('malformed-kept', 'what leaves no trace is recorded', 'verdict', (right, model, request) => {
    const outcome = right(request);
    if (outcome === 'id_expired' || outcome === 'invalid_id')
      model.append({ type: 'transfer', id: request.id, content: request.content, result: `${outcome}\n` });
    return outcome;
  }),
  front('endings-lost', 'a reservation does not tell who may end it', (ledger) => ({
    reserve: ({ arbiter: _, payerMayVoid: __, ...call }: Parameters<Ledger['reserve']>[0]) => ledger.reserve(call),
  })),
  wrong(
    'plain-ids-again',
    'an id without a time is taken after records were trimmed',
    'verdict',
    (right, _, request) => {
      const outcome = right(request);
      return outcome === 'invalid_id' ? 'created' : outcome;
    },
  ),
];

/** Closes a wallet that it must not close. */
function closing(id: string, title: string, isClosed: (wallet: Wallet) => boolean): Fault {
  return wrong(id, title, 'closeWallet', async (right, model, wallet) => {
    const found = model.wallets_.get(wallet);
    if (found === undefined || !isClosed(found)) return right(wallet);
    return { outcome: 'closed', wallet: model.change(wallet, () => ({ closed: true })) };
  });
}

const wallets: readonly Fault[] = [
  after('wallet-again-recorded', 'to create a wallet again makes a record', 'createWallet', (answer, model, spec) => {
    if (answer.replayed) model.append({ type: 'tags', id: spec.id, content: '[]', result: '' });
  }),
  wrong('vault-of-nobody', 'the vault is nobody’s', 'createWallet', (right, _, spec) =>
    right(spec.id === '~vault' ? { ...spec, owner: 'nobody' } : spec),
  ),
  wrong('tags-added', 'tags are added', 'setTags', (right, model, id, tags) =>
    right(id, [...new Set([...(model.wallets_.get(id)?.tags ?? []), ...tags])].toSorted()),
  ),
  wrong('closed-again', 'to close a closed wallet makes a record', 'closeWallet', async (right, model, id) => {
    const was = model.wallets_.get(id)?.closed;
    const answer = await right(id);
    if (was) model.append({ type: 'close', id, content: '', result: '' });
    return answer;
  }),
  closing('closes-owing', 'a wallet that owes is closed', (one) => one.creditsPosted < one.debitsPosted),
];

type Search = Parameters<LedgerStore['wallets']>[0];

function searched(id: string, title: string, change: (query: Search) => Search): Fault {
  return wrong(id, title, 'wallets', (right, _, query) => right(change(query)));
}

const searches: readonly Fault[] = [
  searched('search-pages-short', 'a page lacks its last wallet', (query) => ({
    ...query,
    limit: Math.max(1, query.limit - 1),
  })),
  front('search-default-1000', 'a page has 1,000 wallets by default', (ledger) => ({
    wallets: (search = {}) => ledger.wallets({ limit: 1_000, ...search }),
  })),
];

const histories: readonly Fault[] = [
  wrong('texts-cut', 'descriptions and metadata are cut', 'append', (right, _, step) =>
    right({ ...step, content: step.content.replace(/x{500,}/, 'x') }),
  ),
];

const journal: readonly Fault[] = [
  {
    id: 'clock-back',
    title: 'times go back with the clock',
    plant: (model) => void Object.defineProperty(model, 'at', { get: () => model.options.now() }),
  },
];

const retention: readonly Fault[] = [
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
  front('stream-first-page', 'a stream has one page', (ledger) => ({
    async *subscribe(options: { after?: number; signal?: AbortSignal } = {}) {
      let left = 1_000;
      for await (const event of ledger.subscribe(options)) if (left-- > 0) yield event;
    },
  })),
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
  given('malformed-ids-cut', 'too long an id is cut', 'transfer', (call) => ({
    ...call,
    id: String(call.id)
      .slice(0, 128)
      .replace(/[\n\0]/g, ''),
  })),
  front('other-name', 'a ledger tells another name', () => ({ name: 'main' })),
  front('open-when-closed', 'a closed ledger still reads', (ledger) => {
    const cached = ledger.wallet('a');
    return { wallet: (id: string) => ledger.wallet(id).catch(() => cached) };
  }),
];

/** A handle that works on what it read when it was opened. */
const handles: readonly Fault[] = [
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
    id: 'closes-all',
    title: 'closing a handle closes the ledger',
    handle: (_, model) => ({
      close: async () => {
        model.createWallet = () => Promise.reject(new Error('closed'));
      },
    }),
  },
];

const settling: readonly Fault[] = [
  wrong(
    'marks-not-compared',
    'marks are written without a look at them',
    'settle',
    (right, model, name, calls, changes) => {
      const marks = model.marksOf(name);
      return right(
        name,
        calls,
        changes.map((change) => ({ ...change, before: marks.get(change.hash) ?? null })),
      );
    },
  ),
  after('marks-apart', 'marks are written although a call is refused', 'settle', (answer, model, name, _, changes) => {
    if (answer.outcome !== 'settled' && answer.outcome !== 'changed')
      for (const change of changes) model.mark(name, change);
  }),
  wrong('marks-kept', 'marks are not removed', 'mark', (right, _, coupling, change) => {
    if (change.after !== null) right(coupling, change);
  }),
  wrong('marks-recorded', 'a change of marks makes a record', 'mark', (right, model, coupling, change) => {
    right(coupling, change);
    model.append({ type: 'tags', id: '~vault', content: '[]', result: '' });
  }),
  wrong('marks-in-common', 'couplings share their marks', 'marksOf', (right) => right('one')),
  wrong(
    'marks-first-page',
    'only the first page of marks is found',
    'markPage',
    async (right, _, name, cursor, limit) => ({
      ...(await right(name, cursor, limit)),
      next: null,
    }),
  ),
  wrong('marks-trimmed', 'marks lose their blanks', 'mark', (right, _, coupling, change) =>
    right(coupling, { ...change, after: change.after === null ? null : change.after.trim() }),
  ),
  wrong('marks-without-money', 'the calls of a settlement are forgotten', 'settle', (right, _, coupling, __, changes) =>
    right(coupling, [], changes),
  ),
  given('system-ids-cut', 'what makes an id one of the system is left out', 'transfer', (call) => ({
    ...call,
    id: String(call.id).replace(/^~/, ''),
  })),
  given('system-wallets-taken', 'a wallet of the system is created under another id', 'createWallet', (spec) => ({
    ...spec,
    id: spec.id.replace(/^~/, 'system '),
  })),
  {
    id: 'marks-forgotten',
    title: 'marks are gone when a ledger is opened again',
    handle: (_, model) => {
      model.marks_.clear();
      return {};
    },
  },
];

/** They leave a reader waiting. */
const waiting: ReadonlySet<string> = new Set([
  ...['stream-first-page', 'stream-without-first', 'never-ahead'],
  ...['stream-without-signal', 'streams-outlive', 'own-readers'],
]);

/** What a third party gets wrong in a ledger. */
export const ledgerFaults: readonly Fault[] = [
  ...ids,
  ...money,
  ...refusals,
  ...wallets,
  ...searches,
  ...histories,
  ...journal,
  ...retention,
  ...streams,
  ...callers,
  ...handles,
  ...settling,
].map((one) => (waiting.has(one.id) ? { ...one, waits: true } : one));

/** The cases that must notice each fault. */
export const ledgerKills: Readonly<Record<string, readonly string[]>> = kills;
