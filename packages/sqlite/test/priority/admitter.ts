// Receives every transaction up to a number, beginning at one of its own, and writes a line for each that it was the one to bring in.
import { sqlite } from 'mempool-sqlite';
import { hashOf, numbers, priced } from '../numbered.ts';

const [path = '', first = '', count = '', ids = ''] = process.argv.slice(2);
const store = await sqlite.open({ path, ordering: 'priority', timeoutMs: 30_000, synchronous: 'normal' });
for (const n of numbers(Number(count)).map((each) => (each + Number(first)) % Number(count))) {
  const options = ids === 'ids' ? { operationId: `${first}-${n}` } : {};
  const [outcome] = await store.receive([priced(n)], options);
  if (outcome?.hash !== hashOf(n)) throw new Error(`not the outcome of ${n}`);
  if (outcome.kind === 'received') process.stdout.write(`${outcome.hash}\n`);
}
await store.close();
