import assert from 'node:assert/strict';
import { type Ledger, openLedger, type TransferCall } from 'mempool-ledger';
import { defineLedger } from 'mempool-ledger/backend';
import type { Random } from '../case/random.ts';
import { LedgerModel } from '../model/ledger/model.ts';
import { type Fault, firstFault, playHistory } from './played.ts';

/** One call of a history, as data. Times pass only where the ledger takes its time from the case. */
export type LedgerCall =
  | { readonly verb: 'create' | 'tag'; readonly id: string; readonly owner: string; readonly tags: readonly string[] }
  | { readonly verb: 'close'; readonly id: string }
  | { readonly verb: 'batch'; readonly calls: readonly TransferCall[]; readonly linked: boolean }
  | { readonly verb: 'call'; readonly call: TransferCall }
  | { readonly verb: 'pass'; readonly ms: number }
  | { readonly verb: 'sweep' };

const walletIds = ['w0', 'w1', 'w2', 'w3', 'w4', '~vault', 'debt'] as const;
const tagNames = ['red', 'big', 'a:b'] as const;
const most = 2n ** 63n - 1n;

/** A history that meets every outcome now and then. */
export function makeLedgerHistory(random: Random, length: number, hasClock: boolean): readonly LedgerCall[] {
  const start = walletIds.slice(0, 5).map((id) => creation(random, id));
  return [...start, ...Array.from({ length }, () => nextCall(random, hasClock))];
}

function creation(random: Random, id: string): LedgerCall {
  return { verb: 'create', id, owner: `o${random.below(2)}`, tags: tagNames.slice(random.below(4)) };
}

function nextCall(random: Random, hasClock: boolean): LedgerCall {
  const dice = random.below(100);
  if (dice < 3) return creation(random, random.pick(walletIds));
  if (dice < 6) return { ...creation(random, random.pick(walletIds)), verb: 'tag' } as LedgerCall;
  if (dice < 7) return { verb: 'close', id: random.pick(walletIds.slice(0, 5)) };
  if (dice < 12 && hasClock) return { verb: 'pass', ms: 1 + random.below(200) };
  if (dice < 15) return { verb: 'sweep' };
  if (dice < 25) {
    const calls = Array.from({ length: 1 + random.below(4) }, () => nextTransfer(random, hasClock));
    return { verb: 'batch', calls, linked: random.below(3) > 0 };
  }
  return { verb: 'call', call: nextTransfer(random, hasClock) };
}

function nextTransfer(random: Random, hasClock: boolean): TransferCall {
  const id = `t${random.below(400)}`;
  const held = `h${random.below(24)}`;
  const pendingId = random.below(4) > 0 ? held : `t${random.below(400)}`;
  const dice = random.below(10);
  if (dice < 2) return { kind: 'post', id, pendingId, ...(random.below(2) === 0 && { amount: amountOf(random) }) };
  if (dice < 4) return { kind: 'void', id, pendingId };
  const [source, destination] = [random.below(3) === 0 ? '~vault' : random.pick(walletIds), random.pick(walletIds)];
  const currency = random.below(30) === 0 ? 'OTHER' : 'COIN';
  const common = { source, destination, amount: amountOf(random), currency, description: `d${random.below(2)}` };
  if (dice < 7) return { kind: 'transfer', id, ...common };
  const timeoutMs = hasClock && random.below(3) === 0 ? 1 + random.below(300) : ('never' as const);
  return { kind: 'reserve', id: random.below(2) === 0 ? held : id, ...common, timeoutMs };
}

function amountOf(random: Random): bigint {
  if (random.below(40) === 0) return random.pick([0n, most, most - 1n, 2n ** 53n + 1n, most + 1n]);
  return BigInt(1 + random.below(50));
}

/** A ledger under test and one of the model, with the clock of both. */
export interface LedgerPair {
  readonly subject: Ledger;
  readonly model: Ledger;
  /** Moves the clock of both on. */
  pass(ms: number): void;
}

/** Opens the model as a ledger. */
export function openModel(options: { readonly now: () => number; readonly maxRefusals: number }): Promise<Ledger> {
  const backend = defineLedger<object>({ name: 'model', options: {}, open: async (all) => new LedgerModel(all) });
  return openLedger(backend, { currency: 'COIN', ...options });
}

async function perform(ledger: Ledger, step: LedgerCall): Promise<unknown> {
  switch (step.verb) {
    case 'create':
      return ledger.createWallet({ ...nameOf(step), currency: 'COIN', overdraft: step.id === 'debt' });
    case 'tag':
      return ledger.setTags(step.id, step.tags);
    case 'close':
      return ledger.closeWallet(step.id);
    case 'batch':
      return ledger.batch(step.calls, { linked: step.linked });
    case 'call':
      return one(ledger, step.call);
    case 'sweep':
      return ledger.sweep();
    case 'pass':
      return null;
  }
}

function nameOf({
  id,
  owner,
  tags,
}: {
  readonly id: string;
  readonly owner: string;
  readonly tags: readonly string[];
}) {
  return { id, owner, tags };
}

function one(ledger: Ledger, { kind, ...call }: TransferCall): Promise<unknown> {
  return (ledger[kind] as (given: object) => Promise<unknown>).call(ledger, call);
}

/** The same without what depends on the clock. */
function timeless(value: unknown): unknown {
  const left = new Set(['at', 'digest', 'createdAt', 'expiresAt']);
  if (Array.isArray(value)) return value.map(timeless);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (left.has(key) ? [] : [[key, timeless(one)]])),
  );
}

interface Comparison {
  /** Times and digests must be equal too. */
  readonly exact: boolean;
  /** Everything is read after every so many calls. */
  readonly every: number;
}

/** Compares each answer with the model's, and from time to time everything that can be read. */
async function faultOf(
  { subject, model, pass }: LedgerPair,
  history: readonly LedgerCall[],
  { exact, every }: Comparison,
  signal: AbortSignal | undefined,
): Promise<Fault | null> {
  const seen = exact ? (value: unknown) => value : timeless;
  let count = 0;
  const play = async (step: LedgerCall): Promise<void> => {
    if (step.verb === 'pass') pass(step.ms);
    const [told, expected] = [await perform(subject, step), await perform(model, step)];
    assert.deepEqual(seen(told), seen(expected));
    count += 1;
    if (count % every === 0 || count === history.length) await compareWhole(subject, model, seen);
    if (count < history.length) return;
    const { ok, faults } = await subject.audit();
    assert.deepEqual({ ok, faults }, { ok: true, faults: [] });
  };
  return firstFault(history, play, signal);
}

function inspected(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}n` : one));
}

async function compareWhole(subject: Ledger, model: Ledger, seen: (value: unknown) => unknown): Promise<void> {
  const [mine, theirs] = [await pagesOf(subject), await pagesOf(model)];
  assert.deepEqual(seen(mine), seen(theirs));
  const { items } = mine.all;
  const sum = (of: (one: (typeof items)[number]) => bigint) => items.reduce((total, wallet) => total + of(wallet), 0n);
  assert.equal(
    sum((wallet) => wallet.creditsPosted - wallet.debitsPosted),
    0n,
    'credits and debits posted differ',
  );
  assert.equal(
    sum((wallet) => wallet.creditsPending - wallet.debitsPending),
    0n,
    'credits and debits pending differ',
  );
  for (const { id, overdraft, creditsPosted, debitsPosted, debitsPending } of items)
    assert.ok(overdraft || creditsPosted - debitsPosted >= debitsPending, `${id} is overdrawn`);
}

async function pagesOf(ledger: Ledger) {
  const head = await ledger.head();
  return {
    all: await ledger.wallets({ limit: 1_000 }),
    page: await ledger.wallets({ tags: ['red', 'big'], match: 'any', after: 3, limit: 2 }),
    owned: await ledger.wallets({ owner: 'o1', tags: ['a:b'] }),
    history: await ledger.transfers({ wallet: 'w1', limit: 1_000, after: Math.max(0, head - 50) }),
    oldest: await ledger.transfers({ wallet: '~vault', limit: 7 }),
    events: await ledger.records(Math.max(0, head - 30)),
  };
}

/** Plays a history on new ledgers, and fails with the shortest one that still differs. @throws Error with the calls */
export async function checkLedgerHistory(
  history: readonly LedgerCall[],
  open: () => Promise<LedgerPair>,
  options: Comparison & { readonly seed: number; readonly signal?: AbortSignal },
): Promise<void> {
  await playHistory(history, {
    ...options,
    lineOf: inspected,
    faultOf: async (calls) => faultOf(await open(), calls, options, options.signal),
  });
}
