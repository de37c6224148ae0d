/** A process that is killed: `reserved`, between the ledger and the pool; `final`, before it has settled the last block. */
import { Bank } from './bank.ts';
import type { Payment } from './payment.ts';

const [folder = '', moment = ''] = process.argv.slice(2);
const killed = () => process.kill(process.pid, 'SIGKILL');
const payment: Payment = { from: 'ann', to: 'ben', cents: 1_500, number: moment === 'final' ? 4 : 5 };

// The pool asks `validate` after the ledger has reserved, and before it takes the payment.
const validate = () => {
  killed();
  return {};
};
const bank = await Bank.open(folder, moment === 'reserved' ? { validate } : {});
await bank.submit(payment);
await bank.block('D', payment);
await bank.block('E');
killed();
