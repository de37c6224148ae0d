// Fills the room there is with a ledger, and prints what the calls after that were answered.
import { join } from 'node:path';
import { isLedgerError, openLedger } from 'mempool-ledger';
import { sqliteLedger } from 'mempool-ledger/sqlite';
import { numbers } from '../../../sqlite/test/numbered.ts';

const [directory = ''] = process.argv.slice(2);
const ledger = await openLedger(sqliteLedger, { path: join(directory, 'ledger.db'), currency: 'ADA' });
const wallets = { source: '~vault', destination: 'alice', currency: 'ADA' };
await ledger.createWallet({ id: 'alice', owner: 'alice', currency: 'ADA' });
await ledger.reserve({ ...wallets, id: 'held', amount: 7n });

const metadata = { text: 'x'.repeat(4_000) };
const batchOf = (n: number) =>
  ledger.batch(
    numbers(50, n * 50).map((each) => ({ ...wallets, kind: 'transfer', id: `t${each}`, amount: 1n, metadata })),
  );

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error) => (isLedgerError(error) ? error.code : String(error)),
  );

let [batches, code] = [0, await codeOf(batchOf(0))];
while (code === 'done') code = await codeOf(batchOf(++batches));
const posted = await codeOf(ledger.post({ id: 'post', pendingId: 'held' }));
const credits = (await ledger.wallet('alice'))?.creditsPosted;
const { ok, faults } = await ledger.audit();
await ledger.close();
console.log(JSON.stringify({ code, posted, extra: Number(credits) - batches * 50, ok, faults }));
