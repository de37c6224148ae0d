import { badArgument, LedgerError } from './contract/errors.ts';
import { ledgerLimits } from './contract/limits.ts';
import type { LedgerDefinition, LedgerStore, StoreOptions } from './contract/store.ts';
import { checkNames, checkText, checkWhole } from './ledger/check.ts';
import { Ledger } from './ledger/ledger.ts';
import { systemWallet, vaultId } from './rules/wallets.ts';

/** The options of `openLedger` for every backend. */
export interface LedgerOptions {
  /** The name of the ledger: 1 to 64 of `A–Z a–z 0–9 _ . -`; default `main`. Ledgers with different names share nothing. */
  readonly name?: string | undefined;
  /** The currency of the wallet `~vault`, from which all money comes. */
  readonly currency: string;
  /** The least time for which records are kept, in milliseconds; default `never` removes none. With a time, transfer ids must be UUIDv7. */
  readonly retentionMs?: number | 'never' | undefined;
  /** How many refusals of one owner are recorded; default 10,000. */
  readonly maxRefusals?: number | undefined;
  /** The clock for a backend that has no own clock, in milliseconds since 1970. For tests. */
  readonly now?: (() => number) | undefined;
}

/** A backend, which `openLedger` opens. `defineLedger` makes it. */
export interface LedgerBackend<Options extends object> {
  readonly name: string;
  /** Checks the options that all backends have, and opens the store. */
  open(options: Options & LedgerOptions): Promise<LedgerStore>;
  /** The definition from which `defineLedger` made the backend. */
  readonly definition: LedgerDefinition<Options>;
}

const ownNames = { name: true, currency: true, retentionMs: true, maxRefusals: true, now: true } as const;
const hundredYearsMs = 100 * 365 * 86_400_000;

/** Makes a backend from its definition. */
export function defineLedger<Options extends object>(definition: LedgerDefinition<Options>): LedgerBackend<Options> {
  return {
    name: definition.name,
    definition,
    open: async (options) => definition.open({ ...options, ...storeOptions(options) }),
  };
}

/**
 * Opens a ledger and creates its wallet `~vault`, if it is new.
 *
 * @throws `ERR_LEDGER_ARGUMENT` naming the field, also if the vault has another currency; the errors of the backend
 */
export async function openLedger<Options extends object>(
  backend: LedgerBackend<Options>,
  options: Options & LedgerOptions,
): Promise<Ledger> {
  checkNames(options, { ...ownNames, ...backend.definition.options });
  const { name, retentionMs } = storeOptions(options);
  const currency = checkText('currency', options.currency, 1, ledgerLimits.maxCurrencyLength);
  const store = await backend.open(options);
  try {
    const { outcome, wallet } = await store.createWallet(systemWallet(vaultId, currency));
    if (outcome === 'created') return new Ledger(store, { ledger: name, retentionMs });
    throw new LedgerError('ERR_LEDGER_ARGUMENT', `currency must be ${wallet?.currency}: the vault has it`, {
      field: 'currency',
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}

function storeOptions({
  name = 'main',
  retentionMs = 'never',
  maxRefusals,
  now = Date.now,
}: LedgerOptions): StoreOptions {
  if (typeof name !== 'string' || !/^[\w.-]{1,64}$/.test(name))
    throw badArgument('name', '1 to 64 of the characters A–Z a–z 0–9 _ . -');
  if (typeof now !== 'function') throw badArgument('now', 'a function');
  return {
    name,
    retentionMs: retentionMs === 'never' ? null : checkWhole('retentionMs', retentionMs, 1, hundredYearsMs),
    maxRefusals: checkWhole('maxRefusals', maxRefusals ?? ledgerLimits.maxRefusals, 1, Number.MAX_SAFE_INTEGER),
    now,
  };
}
