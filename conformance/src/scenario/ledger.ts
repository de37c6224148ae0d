import assert from 'node:assert/strict';
import type {
  Ledger,
  LedgerRecord,
  MoveOptions,
  Transfer,
  TransferAnswer,
  TransferOutcome,
  Wallet,
} from 'mempool-ledger';

/** The currency of the case's ledger. */
export const coin = 'COIN';
/** 2^63 − 1: the most that an amount or a running total may be. */
export const most: bigint = 2n ** 63n - 1n;

/** The arguments of a transfer or a reservation. */
export function move(
  id: string,
  source: string,
  destination: string,
  amount: bigint,
  more: Partial<MoveOptions> = {},
): MoveOptions {
  return { id, source, destination, amount, currency: coin, ...more };
}

/** Creates a wallet for each name, owned by its name. */
export async function newWallets(ledger: Ledger, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) assert.equal((await ledger.createWallet(walletOf(id))).outcome, 'created');
}

export function walletOf(id: string): { readonly id: string; readonly owner: string; readonly currency: string } {
  return { id, owner: `owner of ${id}`, currency: coin };
}

/** Creates wallets and moves to each what it shall have, out of the vault. */
export async function fund(ledger: Ledger, funds: Readonly<Record<string, bigint>>): Promise<void> {
  for (const [id, amount] of Object.entries(funds)) {
    await newWallets(ledger, id);
    if (amount > 0n) await created(ledger.transfer(move(`fund ${id}`, '~vault', id, amount)));
  }
}

/** The transfer of a call that must be carried out. */
export async function created(call: Promise<TransferAnswer>): Promise<Transfer> {
  const { outcome, transfer } = await call;
  assert.equal(outcome, 'created');
  assert.ok(transfer !== null, 'what was created has no record');
  return transfer;
}

export async function outcomeOf(call: Promise<{ readonly outcome: TransferOutcome }>): Promise<TransferOutcome> {
  return (await call).outcome;
}

async function walletNamed(ledger: Ledger, id: string): Promise<Wallet> {
  const wallet = await ledger.wallet(id);
  assert.ok(wallet !== null, `there is no wallet ${id}`);
  return wallet;
}

/** What a wallet got and gave, and what is reserved towards it and from it. */
export async function totals(ledger: Ledger, id: string): Promise<readonly [bigint, bigint, bigint, bigint]> {
  const { creditsPosted, debitsPosted, creditsPending, debitsPending } = await walletNamed(ledger, id);
  return [creditsPosted, debitsPosted, creditsPending, debitsPending];
}

/** All records, page by page. */
export async function allRecords(ledger: Ledger): Promise<readonly LedgerRecord[]> {
  const found: LedgerRecord[] = [];
  for (;;) {
    const page = await ledger.records(found.at(-1)?.seq ?? 0);
    if (page.length === 0) return found;
    found.push(...page);
  }
}

/** Everything that a ledger shows of its state: all wallets, and all records with what became of the transfers. */
export async function whole(ledger: Ledger): Promise<unknown> {
  const wallets: Wallet[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page = await ledger.wallets({ after, limit: 1_000 });
    wallets.push(...page.items);
    after = page.next;
  }
  const records = await allRecords(ledger);
  const ids = records.flatMap((one) => (one.type === 'transfer' ? [one.transfer.id] : []));
  const transfers = await Promise.all(ids.map((id) => ledger.findTransfer(id)));
  return { wallets, records, transfers };
}

/** The audit must find nothing. */
export async function audited(ledger: Ledger): Promise<void> {
  const { ok, faults } = await ledger.audit();
  assert.deepEqual({ ok, faults }, { ok: true, faults: [] });
}
