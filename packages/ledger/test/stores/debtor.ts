// Takes money out of one wallet, one unit a call, all calls at once; then makes one call many times at once. Prints the answers.
import { currency, openAt } from './place.ts';

const [place = '', name = '', debits = '', repeats = ''] = process.argv.slice(2);
const ledger = await openAt(place);
const debit = { source: 'alice', destination: 'bob', amount: 1n, currency };
const many = (count: string) => Array.from({ length: Number(count) }, (_, n) => n);
const answers = await Promise.all(many(debits).map((n) => ledger.transfer({ ...debit, id: `${name}-${n}` })));
const same = await Promise.all(many(repeats).map(() => ledger.transfer({ ...debit, source: '~vault', id: 'same' })));
await ledger.close();
console.log(
  JSON.stringify({
    outcomes: answers.map(({ outcome }) => outcome),
    digests: same.map(({ outcome, transfer }) => `${outcome} ${transfer?.digest}`),
    carriedOut: same.filter(({ replayed }) => !replayed).length,
  }),
);
