import type { LedgerStore, Wallet } from 'mempool-ledger/backend';
import type { Fault, Group } from '../third-party.ts';
import { after, front, replaced, wrong } from './replacing.ts';

/** Closes a wallet that it must not close. */
function closing(id: string, title: string, isClosed: (wallet: Wallet) => boolean): Fault {
  return wrong(id, title, 'closeWallet', async (right, model, wallet) => {
    const found = model.wallets_.get(wallet);
    if (found === undefined || !isClosed(found)) return right(wallet);
    return { outcome: 'closed', wallet: model.change(wallet, () => ({ closed: true })) };
  });
}

const wallets: readonly Fault[] = [
  wrong('signers-locked', 'from a wallet with a signer nothing leaves', 'verdict', (right, model, request) => {
    const isSigned = 'source' in request && (model.wallets_.get(request.source)?.signer ?? null) !== null;
    return isSigned ? 'signature_invalid' : right(request);
  }),
  wrong(
    'wallet-overwritten',
    'a wallet is created whether there is one or not',
    'createWallet',
    (right, model, spec) => {
      model.wallets_.delete(spec.id);
      return right(spec);
    },
  ),
  wrong('wallet-same-owner', 'a wallet is the same if its owner is', 'createWallet', async (right, model, spec) => {
    const known = model.wallets_.get(spec.id);
    return known?.owner === spec.owner ? { outcome: 'created', wallet: known, replayed: true } : right(spec);
  }),
  after('wallet-compared-now', 'a wallet is compared with what it is now', 'setTags', (_, model, id, tags) => {
    const made = model.made.get(id);
    if (made !== undefined) {
      const [owner, , ...rest] = JSON.parse(made) as unknown[];
      model.made.set(id, JSON.stringify([owner, tags, ...rest]));
    }
  }),
  after('wallet-again-recorded', 'to create a wallet again makes a record', 'createWallet', (answer, model, spec) => {
    if (answer.replayed) model.append({ type: 'tags', id: spec.id, content: '[]', result: '' });
  }),
  wrong(
    'wallet-for-everyone',
    'an unknown wallet is there, empty',
    'wallet',
    async (right, model, id) => (await right(id)) ?? model.wallets_.get('vault') ?? null,
  ),
  wrong(
    'version-by-tags-only',
    'a move does not change the version',
    'count',
    (right, model, source, destination, ...amounts) => {
      const before = [source, destination].map((id) => [id, model.wallets_.get(id)?.version ?? 0] as const);
      right(source, destination, ...amounts);
      for (const [id, version] of before) {
        const wallet = model.wallets_.get(id);
        if (wallet !== undefined) model.wallets_.set(id, { ...wallet, version });
      }
    },
  ),
  wrong('vault-of-nobody', 'the vault is nobody’s', 'createWallet', (right, _, spec) =>
    right(spec.id === 'vault' ? { ...spec, owner: 'nobody' } : spec),
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
  searched('search-any-owner', 'the owner is not looked at', (query) => ({ ...query, owner: null })),
  wrong('search-owner-case', 'owners are found in any case', 'wallets', async (right, _, query) =>
    (await right({ ...query, owner: null })).filter(
      ({ owner }) => query.owner === null || owner.toLowerCase() === query.owner.toLowerCase(),
    ),
  ),
  searched('search-all-is-any', 'one of the tags is enough', (query) => ({ ...query, match: 'any' })),
  wrong('search-tag-case', 'tags are found in any case', 'wallets', async (right, _, query) =>
    (await right({ ...query, tags: [] })).filter(({ tags }) =>
      query.tags.every((tag) => tags.some((one) => one.toLowerCase() === tag.toLowerCase())),
    ),
  ),
  searched('search-from-last', 'a page begins with the last of the page before', (query) => ({
    ...query,
    after: query.after - 1,
  })),
  searched('search-pages-short', 'a page lacks its last wallet', (query) => ({
    ...query,
    limit: Math.max(1, query.limit - 1),
  })),
  front('search-default-1000', 'a page has 1,000 wallets by default', (ledger) => ({
    wallets: (search = {}) => ledger.wallets({ limit: 1_000, ...search }),
  })),
];

const histories: readonly Fault[] = [
  wrong('history-of-refusals', 'a history has refusals', 'transfers', async (right, model, query) => {
    const refused = [...model.kept.values()].filter(({ raw, state }) => state === 'refused' && raw.seq > query.after);
    return [...(await right(query)), ...refused].toSorted((a, b) => a.raw.seq - b.raw.seq).slice(0, query.limit);
  }),
  wrong('history-newest-first', 'a history comes newest first', 'transfers', async (right, _, query) =>
    (await right(query)).toReversed(),
  ),
  wrong('history-from-last', 'a page begins with the last of the page before', 'transfers', (right, _, query) =>
    right({ ...query, after: query.after - 1 }),
  ),
  wrong('history-as-made', 'a history tells reservations as they were made', 'transfers', async (right, _, query) =>
    (await right(query)).map((one) =>
      one.raw.content.includes('"reserve"') ? { ...one, state: 'pending' as const } : one,
    ),
  ),
  front('finds-nothing-as-anything', 'an unknown id is a transfer', (ledger) => ({
    findTransfer: async (id: string) => (await ledger.findTransfer(id)) ?? { id },
    transfers: async (search: { wallet: string }) => {
      const page = await ledger.transfers(search);
      return page.items.length === 0 ? { ...page, next: 1 } : page;
    },
  })),
  wrong('texts-cut', 'descriptions and metadata are cut', 'append', (right, _, step) =>
    right({ ...step, content: step.content.replace(/x{500,}/, 'x') }),
  ),
  wrong('found-otherwise', 'a transfer that is looked up has another time', 'transfer', async (right, _, id) => {
    const stored = await right(id);
    return stored && { ...stored, raw: { ...stored.raw, at: stored.raw.at + 1 } };
  }),
];

const journal: readonly Fault[] = [
  {
    id: 'clock-back',
    title: 'times go back with the clock',
    plant: (model) => void Object.defineProperty(model, 'at', { get: () => model.options.now() }),
  },
  wrong('times-in-seconds', 'times are in seconds', 'append', (right, model, step) => {
    const raw = right(step);
    const wrongly = { ...raw, at: Math.floor(raw.at / 1_000) };
    model.records_[model.records_.length - 1] = wrongly;
    return wrongly;
  }),
  wrong('digest-alone', 'a digest does not cover the record before', 'append', (right, model, step) => {
    const { digest } = model.head_;
    model.head_ = { ...model.head_, digest: '0'.repeat(40) };
    const raw = right(step);
    model.head_ = { ...raw, digest: digest === raw.digest ? digest : raw.digest };
    return raw;
  }),
  wrong('record-as-it-is', 'a record tells what became of a reservation', 'release', (right, model, request) => {
    const answer = right(request);
    model.records_ = model.records_.map((raw) =>
      raw.id === request.pendingId ? { ...raw, content: raw.content.replace('"reserve"', '"transfer"') } : raw,
    );
    return answer;
  }),
  after('numbers-with-gaps', 'a number is left out after a refusal', 'refuse', (_, model) => {
    model.head_ = { ...model.head_, seq: model.head_.seq + 1 };
  }),
  after('close-is-no-record', 'closing makes no record', 'closeWallet', (answer, model) => {
    if (answer.outcome === 'closed' && model.records_.at(-1)?.type === 'close') model.records_.pop();
  }),
  wrong('tags-number-late', 'tags have the number of the record before', 'setTags', async (right, _, id, tags) => {
    const { wallet, ...rest } = await right(id, tags);
    return { ...rest, wallet: wallet && { ...wallet, version: wallet.version - 2 } };
  }),
  replaced('audit-torn', 'wallets are read with the totals of before', 'wallets', (right, model) => {
    const before = new Map<string, Wallet>();
    return async (query) => {
      const all = await right(query);
      const torn = all.map((one) => ({ ...(before.get(one.id) ?? one), version: one.version }));
      for (const one of model.wallets_.values()) before.set(one.id, one);
      return torn;
    };
  }),
];

export const storeMutants: readonly Group[] = [
  { rules: ['W', 'C1', 'C4'], faults: wallets },
  { rules: ['W6'], faults: searches },
  { rules: ['J3', 'T9', 'A2/longest'], faults: histories },
  { rules: ['J1', 'J2', 'J4', 'T7', 'S1'], faults: journal },
];
