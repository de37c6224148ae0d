import type { ConformanceCase } from '../../case/case.ts';
import { argumentCases } from './arguments.ts';
import { batchCases } from './batches.ts';
import { chanceCases } from './chance.ts';
import { handleCases } from './handles.ts';
import { journalCases, tellingCases } from './journal.ts';
import { outcomeCases } from './outcomes.ts';
import { reservationCases } from './reservations.ts';
import { searchingCases, walletHistoryCases } from './searching.ts';
import { settlingCases } from './settling.ts';
import { signingCases } from './signing.ts';
import { streamCases } from './streams.ts';
import { transferCases } from './transfers.ts';
import { walletCases } from './wallets.ts';

/**
 * The cases of a ledger, in the order of the rules of mempool-ledger. On a backend, in a file `ledger.test.ts`:
 *
 *     import { openLedger } from 'mempool-ledger';
 *     import { testLedger } from 'mempool-conformance/vitest';
 *
 *     testLedger({
 *       name: 'ledger-mine',
 *       ledger: ({ name, ...options }) => openLedger(myLedger, { ...options, name, path: join(folder, `${name}.db`) }),
 *       ledgerTraits: ['durable', 'shared'],
 *       destroy: (name) => rm(join(folder, `${name}.db`)),
 *     });
 *
 * The name has 48 characters of `a–z 0–9 -`. The same name again is another handle of the ledger if the backend is `shared`;
 * after `close` it is the same ledger if it is `durable`. `destroy` is optional.
 */
export const ledgerCases: readonly ConformanceCase[] = [
  ...walletCases,
  ...searchingCases,
  ...signingCases,
  ...transferCases,
  ...outcomeCases,
  ...tellingCases,
  ...reservationCases,
  ...batchCases,
  ...settlingCases,
  ...journalCases,
  ...walletHistoryCases,
  ...streamCases,
  ...argumentCases,
  ...handleCases,
  ...chanceCases,
];
