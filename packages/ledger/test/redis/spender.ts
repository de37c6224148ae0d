// Spends 1 from `a` many times at once: node spender.ts <url> <ledger> <prefix of ids> <count>. Prints the outcomes.
import { openLedger } from 'mempool-ledger';
import { redisLedger } from 'mempool-ledger/redis';

const [url = '', name = '', prefix = '', count = '0'] = process.argv.slice(2);
const ledger = await openLedger(redisLedger, { url, name, currency: 'C' });
const money = { source: 'a', destination: 'b', amount: 1n, currency: 'C' };
const calls = Array.from({ length: Number(count) }, (_, n) => ledger.transfer({ ...money, id: `${prefix}${n}` }));
console.log(JSON.stringify((await Promise.all(calls)).map(({ outcome }) => outcome)));
await ledger.close();
