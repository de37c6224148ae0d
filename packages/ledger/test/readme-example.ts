import { balanceOf, memoryLedger, openLedger } from 'mempool-ledger';

const ledger = await openLedger(memoryLedger, { currency: 'EUR' });
for (const id of ['ann', 'ben']) await ledger.createWallet({ id, owner: id, currency: 'EUR' });
const money = { currency: 'EUR', destination: 'ann' };
await ledger.transfer({ id: 'start', source: '~vault', amount: 10_000n, ...money });
const held = await ledger.reserve({ id: 'rent', ...money, source: 'ann', destination: 'ben', amount: 6_000n });
const again = await ledger.transfer({ id: 'shoes', ...money, source: 'ann', destination: 'ben', amount: 5_000n });
await ledger.post({ id: 'rent is due', pendingId: 'rent' });
const ann = await ledger.wallet('ann');
console.log(held.outcome, again.outcome, ann && balanceOf(ann), (await ledger.audit()).ok);
