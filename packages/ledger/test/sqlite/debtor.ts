// Takes money out of one wallet, one unit a call, all calls at once; then makes one call many times at once. Prints what was answered.
import { openLedger } from 'mempool-ledger';
import { sqliteLedger } from 'mempool-ledger/sqlite';
import { numbers } from '../../../sqlite/test/numbered.ts';

const [path = '', name = '', debits = '', repeats = ''] = process.argv.slice(2);
const ledger = await openLedger(sqliteLedger, { path, currency: 'ADA' });
const debit = { source: 'alice', destination: 'bob', amount: 1n, currency: 'ADA' };
const answers = await Promise.all(
  numbers(Number(debits)).map((n) => ledger.transfer({ ...debit, id: `${name}-${n}` })),
);
const same = await Promise.all(
  numbers(Number(repeats)).map(() => ledger.transfer({ ...debit, source: 'vault', id: 'same' })),
);
await ledger.close();
console.log(
  JSON.stringify({
    outcomes: answers.map(({ outcome }) => outcome),
    digests: same.map(({ outcome, transfer }) => `${outcome} ${transfer?.digest}`),
    carriedOut: same.filter(({ replayed }) => !replayed).length,
  }),
);
