import { type Caller, Problem } from 'mempool-server/extension';
import {
  isSystemId,
  type Ledger,
  type ReserveOptions,
  type Transfer,
  type TransferCall,
  type Wallet,
} from '../index.ts';
import { outcomeProblem } from './outcome-problem.ts';

/**
 * What a caller may do with which wallets. `ledger:admin` and `ledger:read` are for all; `ledger:transfer` is for the
 * wallets of the token's owners, and for none with an overdraft. Owner and overdraft of a wallet never change, so a check before a call
 * still holds when it is carried out.
 */
export class WalletRights {
  readonly #caller: Caller;

  constructor(caller: Caller | null) {
    this.#caller = caller ?? { name: null, scopes: new Set(), owners: new Set() };
  }

  get isAdmin(): boolean {
    return this.#caller.scopes.has('ledger:admin');
  }

  /** Whether it may see all wallets, records and the audit. */
  get readsAll(): boolean {
    return this.isAdmin || this.#caller.scopes.has('ledger:read');
  }

  /** Whether the wallets of this owner may be seen. */
  reads(owner: string): boolean {
    return this.readsAll || this.owns(owner);
  }

  /** @throws `Problem` 403 */
  assertReads(owner: string | undefined): void {
    if (owner === undefined ? this.readsAll || this.#caller.owners === 'all' : this.reads(owner)) return;
    throw this.#foreign(owner === undefined ? 'Name one of its owners.' : '');
  }

  /** @throws `Problem` 403 */
  assertSpends({ owner, overdraft }: Wallet): void {
    if (!this.isAdmin && (overdraft || !this.owns(owner))) throw this.#foreign('');
  }

  /** Whether it moves the money of this owner. */
  owns(owner: string | undefined): boolean {
    if (owner === undefined) return false;
    const { scopes, owners } = this.#caller;
    return scopes.has('ledger:transfer') && (owners === 'all' || owners.has(owner));
  }

  #foreign(hint: string): Problem {
    const detail = `The token ${this.#caller.name} has no right to this wallet: its owners are others. ${hint}`.trim();
    return new Problem(403, 'ERR_SERVER_SCOPE', { detail });
  }
}

/** The fields that decide who may end a reservation. They come from its record, or from its call in the same chain. */
type Reservation = Pick<Transfer, 'source' | 'destination'> &
  Pick<ReserveOptions, 'payerMayVoid'> & { readonly arbiter?: string | null | undefined };

/**
 * Checks that a caller may take money out of every wallet that these calls name, and end every reservation.
 * @throws `Problem` 403; 404 for a wallet or a reservation that is not known, before anything is recorded
 */
export async function assertMayCall(
  ledger: Ledger,
  rights: WalletRights,
  calls: readonly TransferCall[],
  { linked }: { readonly linked: boolean },
): Promise<void> {
  if (rights.isAdmin) return;
  const spent = new Set<string>();
  const made = new Map<string, Reservation>();
  for (const call of calls) {
    if (call.kind === 'transfer' || call.kind === 'reserve') {
      spent.add(call.source);
      // In a chain, a reservation with this id is that of the call, or the chain fails.
      if (linked) made.set(call.id, call);
      continue;
    }
    if (isSystemId(call.pendingId)) throw ofSystem();
    const reservation = (await ledger.findTransfer(call.pendingId)) ?? made.get(call.pendingId);
    if (reservation === undefined) throw outcomeProblem('pending_not_found');
    if (!(await mayEnd(ledger, rights, call.kind, reservation))) throw ofOthers(call.kind);
  }
  for (const id of spent) {
    const wallet = await ledger.wallet(id);
    if (wallet === null) throw outcomeProblem('source_wallet_not_found');
    rights.assertSpends(wallet);
  }
}

/** The payee and the arbiter may post and void a reservation; the payer may void it if the reservation says so. */
async function mayEnd(
  ledger: Ledger,
  rights: WalletRights,
  kind: 'post' | 'void',
  { source, destination, arbiter, payerMayVoid }: Reservation,
): Promise<boolean> {
  const owns = async (id: string) => rights.owns((await ledger.wallet(id))?.owner);
  if (rights.owns(arbiter ?? undefined) || (await owns(destination))) return true;
  return kind === 'void' && payerMayVoid === true && (await owns(source));
}

function ofSystem(): Problem {
  const detail = 'A reservation whose id begins with ~ belongs to the system: to post or void it needs ledger:admin.';
  return new Problem(403, 'ERR_SERVER_SCOPE', { detail });
}

function ofOthers(kind: 'post' | 'void'): Problem {
  const who =
    kind === 'post' ? 'the payee or the arbiter' : 'the payee, the arbiter, or the payer if payerMayVoid is set';
  return new Problem(403, 'ERR_SERVER_SCOPE', { detail: `A ${kind} needs a token of ${who}.` });
}
