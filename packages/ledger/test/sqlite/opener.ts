// Opens a ledger without the rights of root, and prints the code of the refusal.
import { isLedgerError, openLedger } from 'mempool-ledger';
import { sqliteLedger } from 'mempool-ledger/sqlite';

const nobody = 65_534;
const [path = ''] = process.argv.slice(2);
if (process.getuid?.() === 0) process.setuid?.(nobody);
const answer = await openLedger(sqliteLedger, { path, currency: 'ADA' }).then(
  () => 'opened',
  (error) => (isLedgerError(error) ? error.code : String(error)),
);
console.log(JSON.stringify(answer));
