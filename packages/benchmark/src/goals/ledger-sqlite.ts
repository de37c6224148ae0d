import { atMost, type BenchContext } from '../setup/context.ts';
import { loadLedger } from '../setup/subject.ts';
import { callers, FilledLedger, few, flatness } from './ledger-load.ts';
import { head, inTurn, type Measure } from './measure.ts';

const backend = { name: 'sqlite' };

export async function sqliteLedgerGoals(context: BenchContext): Promise<Measure[]> {
  const subject = await loadLedger('sqlite');
  const ledger = new FilledLedger(subject);
  const many = atMost(context, 100_000);
  const shared = `ledger: transfer by one caller ÷ by ${callers} at once, synchronous = FULL`;
  const flat = `ledger: transfer by ${callers} callers with ${many.toLocaleString('en')} wallets and transfers ÷ with ${few.toLocaleString('en')}`;
  return [
    // What many callers at once gain from sharing a sync of the disk.
    {
      ...head(backend, shared, ['at least', 10], '×', 9),
      prepare: () => ledger.fill(),
      sample: (round) =>
        inTurn(
          round,
          () => ledger.transfersMs(callers, 1),
          () => ledger.transfersMs(callers),
        ),
      end: () => ledger.close(),
    },
    flatness(head(backend, flat, ['at most', 2], '×', 9), subject, many, callers * 10),
  ];
}
