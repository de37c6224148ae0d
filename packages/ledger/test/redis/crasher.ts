// Moves money for ever: node crasher.ts <url> <ledger> <prefix of ids>. Prints each answer as `id outcome`, and dies by a signal.
import { openLedger } from 'mempool-ledger';
import { redisLedger } from 'mempool-ledger/redis';

const [url = '', name = '', prefix = ''] = process.argv.slice(2);
const ledger = await openLedger(redisLedger, { url, name, currency: 'C' });
const say = (id: string, outcome: string) => process.stdout.write(`${JSON.stringify([id, outcome])}\n`);

async function loop(lane: number): Promise<never> {
  for (let n = 0; ; n += 1) {
    const id = `${prefix}.${lane}.${n}`;
    const [source, destination] = n % 2 === 0 ? ['a', 'b'] : ['b', 'a'];
    const money = { source, destination, amount: BigInt(1 + (n % 7)), currency: 'C' };
    say(id, (await ledger.transfer({ ...money, id })).outcome);
    const chain = [
      { ...money, kind: 'reserve', id: `${id}.r` },
      { ...money, kind: 'transfer', id: `${id}.t` },
    ] as const;
    const answers = await ledger.batch(chain, { linked: true });
    say(`${id}.r`, answers[0]?.outcome ?? '');
    say(`${id}.t`, answers[1]?.outcome ?? '');
    say(`${id}.p`, (await ledger.post({ id: `${id}.p`, pendingId: `${id}.r`, amount: 1n })).outcome);
  }
}

await Promise.all([0, 1, 2, 3].map(loop));
