import { type Caller, type ExtensionParts, type Opened, z } from 'mempool-server/extension';
import { openNodeLedger } from '../config/node-ledger.ts';
import type { Ledger } from '../index.ts';
import { ledgerEndpoints } from './ledger-endpoints.ts';
import { LedgerKeeper } from './ledger-keeper.ts';
import { defineLedgerMetrics, sweptCounter } from './ledger-metrics.ts';
import { ledgerProblem } from './ledger-problem.ts';
import type { LedgerSection } from './section.ts';
import type { ServedLedger } from './served-ledger.ts';
import { WalletRights } from './wallet-rights.ts';

/** An open ledger of a server. */
export interface OpenedLedger extends Opened {
  readonly ledger: Ledger;
}

/** Opens the ledger of a section next to the pool, and keeps it. @throws the errors of `openNodeLedger` */
export async function openServedLedger(
  parts: ExtensionParts,
  { sweepMs, path, decimals, ...options }: LedgerSection,
): Promise<OpenedLedger> {
  const ledger = await openNodeLedger(parts.config, { ...options, path: path ?? undefined });
  const count = sweptCounter(parts.metrics);
  const swept = (action: string, by: number): void => count({ action }, by);
  const { log } = parts.options;
  const keeper = LedgerKeeper.start(ledger, { sweepMs, trims: options.retentionMs !== 'never', log, swept });
  const close = async (): Promise<void> => {
    await keeper[Symbol.asyncDispose]();
    await ledger.close();
  };
  return { ...servedLedger({ ledger, currency: options.currency, decimals }, parts), close };
}

/** The paths and metrics of a ledger. The caller closes the ledger. */
export function servedLedger(
  served: ServedLedger,
  { metrics, streamsOf }: Pick<ExtensionParts, 'metrics' | 'streamsOf'>,
): OpenedLedger {
  const { ledger, currency } = served;
  const description = 'The currency of the ledger; null if the token may not read it all.';
  return {
    ledger,
    endpoints: ledgerEndpoints({ ...served, called: defineLedgerMetrics(metrics, ledger), streamsOf }),
    poolField: {
      name: 'ledger',
      schema: z.string().nullable().openapi({ description }),
      value: (caller: Caller | null) => (new WalletRights(caller).readsAll ? currency : null),
    },
    notReady: () => {
      const lost = 'The store of the ledger cannot be reached.';
      return ledger.head().then(
        () => null,
        () => lost,
      );
    },
    problemOf: ledgerProblem,
  };
}
