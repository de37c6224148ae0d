import type { TransferRequest } from 'mempool-ledger/backend';
import { moveChecks, resolveChecks } from '../../../src/model/ledger/checks.ts';
import type { LedgerModel } from '../../../src/model/ledger/model.ts';
import type { Fault, Group } from '../third-party.ts';
import { after, optioned, wrong } from './replacing.ts';

const lists = [
  ['moves', moveChecks],
  ['resolves', resolveChecks],
] as const;

/** Each reason to refuse left out; each of a move also asked after the next. Those of a post or void exclude each other. */
const order: readonly Fault[] = lists.flatMap(([list, checks]) =>
  checks.flatMap((check, i) => {
    const outcome = check.outcome.replaceAll('_', '-');
    const without = checks.toSpliced(i, 1);
    const later = without.toSpliced(i + 1, 0, check);
    const dropped = planted(`no-${outcome}`, `${check.outcome} is never the answer`, { [list]: without });
    const swapped = planted(`late-${outcome}`, `${check.outcome} is asked one too late`, { [list]: later });
    return i === checks.length - 1 || list === 'resolves' ? [dropped] : [dropped, swapped];
  }),
);

function planted(id: string, title: string, change: object): Fault {
  return { id, title, plant: (model) => void Object.assign(model, change) };
}

const ids: readonly Fault[] = [
  wrong('refusal-retried', 'a refusal does not stick', 'known', (right, _, request) => {
    const answer = right(request);
    return answer?.stored?.state === 'refused' ? null : answer;
  }),
  wrong('forgets-ids', 'a repeat is carried out again', 'known', (right, _, request) => {
    const answer = right(request);
    return answer?.outcome === 'created' && !('isSeries' in request && request.isSeries) ? null : answer;
  }),
  wrong('not-replayed', 'a repeat is told to be new', 'known', (right, _, request) => {
    const answer = right(request);
    return answer && { ...answer, replayed: false };
  }),
  wrong('conflict-kept', 'a conflict is recorded', 'known', (right, model, request) => {
    const answer = right(request);
    if (answer?.outcome === 'id_conflict')
      model.append({ type: 'transfer', id: `${request.id}!`, content: request.content, result: 'id_conflict\n' });
    return answer;
  }),
  wrong('repeat-after-rules', 'the rules come before the answer that an id has', 'one', (right, model, request) => {
    const closed = 'source' in request && model.wallets_.get(request.source)?.closed;
    return closed ? model.refuse(request, 'wallet_closed') : right(request);
  }),
];

function inSteps(model: LedgerModel, requests: readonly TransferRequest[]) {
  return requests.map((request) => ({ request, answer: model.known(request), outcome: model.verdict(request) }));
}

const steps: readonly Fault[] = [
  wrong(
    'checked-outside',
    'the checks are made before the step that writes',
    'execute',
    async (right, model, requests, { linked }) => {
      if (linked) return right(requests, { linked });
      const judged = inSteps(model, requests);
      await new Promise(setImmediate);
      return judged.map(({ request, answer, outcome }) => {
        if (answer !== null) return answer;
        return outcome === 'created' ? model.carryOut(request) : model.refuse(request, outcome);
      });
    },
  ),
  after('retried-outside', 'a step is tried again after it took effect', 'carryOut', (_, model, request) => {
    if ('source' in request && request.kind === 'transfer')
      model.count(request.source, request.destination, request.amount, 0n);
  }),
  wrong('chain-without-trace', 'the links of a failed chain are not recorded', 'chain', (right, model, requests) => {
    const before = model.copy();
    const answers = right(requests);
    if (answers.every(({ outcome }) => outcome === 'created')) return answers;
    model.restore(before);
    return answers.map(({ outcome, replayed }) => ({ outcome, replayed, stored: null }));
  }),
  wrong('batch-all-or-none', 'every batch is linked', 'execute', (right, _, requests) =>
    right(requests, { linked: requests.length > 1 }),
  ),
  wrong('series-in-common', 'all series count together', 'newId', (right, model, request) => {
    if (!('isSeries' in request && request.isSeries)) return right(request);
    model.ends.set(request.id, Math.max(0, ...model.ends.values()));
    return right(request);
  }),
];

const money: readonly Fault[] = [
  wrong(
    'float-amounts',
    'amounts are floating-point numbers',
    'count',
    (right, _, source, destination, posted, pending) =>
      right(source, destination, BigInt(Number(posted)), BigInt(Number(pending))),
  ),
  wrong('source-only', 'the destination is not counted', 'count', (_, model, source, ____, posted, pending) => {
    model.change(source, (one) => ({
      debitsPosted: one.debitsPosted + posted,
      debitsPending: one.debitsPending + pending,
    }));
  }),
  after('part-keeps-rest', 'a post of a part leaves the rest reserved', 'release', (_, model, request) => {
    const { source, destination } = movedBy(model, request.pendingId);
    if (request.kind === 'post' && request.amount !== null) model.count(source, destination, 0n, 1n);
  }),
  wrong('part-posts-all', 'a post of a part moves all', 'release', (right, _, request) =>
    right({ ...request, amount: null }),
  ),
  after('void-posts', 'a void moves the money', 'release', (_, model, request) => {
    const { source, destination } = movedBy(model, request.pendingId);
    if (request.kind === 'void') model.count(source, destination, 1n, 0n);
  }),
  after('void-keeps', 'a void leaves the money reserved', 'release', (_, model, request) => {
    const { source, destination } = movedBy(model, request.pendingId);
    if (request.kind === 'void') model.count(source, destination, 0n, 1n);
  }),
  wrong('post-needs-open', 'a post into a closed wallet is refused', 'verdict', (right, model, request) => {
    const closed = 'pendingId' in request && model.wallets_.get(movedBy(model, request.pendingId).destination)?.closed;
    return closed ? 'wallet_closed' : right(request);
  }),
  optioned('expiry-late', 'a reservation expires one millisecond too late', 'sweep', (options) => ({
    ...options,
    now: () => options.now() - 1,
  })),
  wrong('expiry-by-sweep', 'what is due can be posted until it is swept', 'verdict', (right, model, request) => {
    const { options } = model;
    if ('pendingId' in request) model.options = { ...options, now: () => 0 };
    const outcome = right(request);
    model.options = options;
    const stored = 'pendingId' in request ? model.kept.get(request.pendingId) : undefined;
    return outcome === 'pending_already_expired' && stored?.state === 'pending' ? 'created' : outcome;
  }),
  wrong('sweep-any-order', 'a sweep goes by number', 'sweep', async (right, model, limit) => {
    const kept = model.kept;
    const before = model.records_.length;
    const answer = await right(limit);
    const swept = model.records_.splice(before).toReversed();
    for (const [i, raw] of swept.entries()) model.records_.push({ ...raw, seq: before + i + 1 });
    model.kept = kept;
    return answer;
  }),
  wrong('sweep-all', 'a sweep knows no limit', 'sweep', (right) => right(Number.POSITIVE_INFINITY)),
  wrong('sweep-once', 'a sweep does not say that there is more', 'sweep', async (right, _, limit) => ({
    ...(await right(limit)),
    more: false,
  })),
  after('sweep-nothing', 'a sweep without anything due makes a record', 'sweep', (answer, model) => {
    if (answer.count === 0) model.append({ type: 'tags', id: 'vault', content: '[]', result: '' });
  }),
  after('sweep-without-record', 'an expiry makes no record of its own', 'release', (_, model, request) => {
    if (request.kind === 'expire') model.records_.pop();
  }),
];

function movedBy(model: LedgerModel, pendingId: string): { readonly source: string; readonly destination: string } {
  const content = model.kept.get(pendingId)?.raw.content;
  const [, source = '', destination = ''] = content === undefined ? [] : (JSON.parse(content) as string[]);
  return { source, destination };
}

const refusals: readonly Fault[] = [
  wrong('refusals-unrecorded', 'refusals are not recorded', 'refuse', (_, __, ___, outcome) => ({
    outcome,
    stored: null,
    replayed: false,
  })),
  wrong('refusals-of-all', 'the refusals of all owners count together', 'refuse', (right, model, request, outcome) => {
    const all = [...model.refusals.values()].reduce((sum, one) => sum + one, 0);
    return all >= model.options.maxRefusals
      ? { outcome: 'too_many_refusals', stored: null, replayed: false }
      : right(request, outcome);
  }),
  after('refusal-touches', 'a refusal changes the version of the wallet', 'refuse', (_, model, request) => {
    if ('source' in request && model.wallets_.has(request.source)) model.change(request.source, () => ({}));
  }),
  wrong('malformed-kept', 'what leaves no trace is recorded', 'verdict', (right, model, request) => {
    const outcome = right(request);
    if (outcome === 'id_expired' || outcome === 'invalid_id')
      model.append({ type: 'transfer', id: request.id, content: request.content, result: `${outcome}\n` });
    return outcome;
  }),
];

export const ruleMutants: readonly Group[] = [
  { rules: ['T4', 'T5', 'T6', 'W7', 'H2', 'H4', 'H5'], faults: order },
  { rules: ['T1', 'T2', 'T3', 'T4', 'W7'], faults: ids },
  { rules: ['B', 'C1', 'C3', 'H4', 'H7'], faults: steps },
  { rules: ['T5', 'W2', 'W3', 'H', 'T9', 'chance'], faults: money },
  { rules: ['T4', 'T7', 'T8', 'J5'], faults: refusals },
];
