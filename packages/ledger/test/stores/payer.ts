// Several callers at once make and move money without end. Each line of the output is an answer.
import { writeSync } from 'node:fs';
import type { TransferAnswer } from 'mempool-ledger';
import { currency, openAt } from './place.ts';

const [place = '', name = '', synchronous = 'full'] = process.argv.slice(2);
const ledger = await openAt(place, { synchronous: synchronous as 'full' });
const wallets = 8;

function print({ outcome, transfer }: TransferAnswer): void {
  if (transfer !== null) writeSync(1, `${JSON.stringify({ outcome, id: transfer.id, digest: transfer.digest })}\n`);
}

async function call(caller: number): Promise<void> {
  const [own, other] = [`w${caller}`, `w${(caller + 1) % wallets}`];
  await ledger.createWallet({ id: own, owner: own, currency });
  await ledger.createWallet({ id: other, owner: other, currency });
  for (let n = 0; ; n += 1) {
    const id = `${name}-${caller}-${n}`;
    print(await ledger.transfer({ id: `${id}-fund`, source: '~vault', destination: own, amount: 5n, currency }));
    const held = `${id}-hold`;
    print(await ledger.reserve({ id: held, source: own, destination: other, amount: 3n, currency, timeoutMs: 5 }));
    const resolved = { id: `${id}-end`, pendingId: held };
    print(await (n % 2 === 0 ? ledger.post({ ...resolved, amount: 2n }) : ledger.void(resolved)));
    await ledger.setTags(own, [`round ${n}`]);
    const there = { kind: 'transfer', source: own, destination: other, currency } as const;
    const chain = await ledger.batch(
      [
        { ...there, id: `${id}-1`, amount: 1n },
        { ...there, id: `${id}-2`, amount: BigInt(n % 9) + 1n },
      ],
      { linked: true },
    );
    chain.map(print);
    if (n % 5 === 0) await ledger.sweep();
  }
}

await Promise.all(Array.from({ length: wallets }, (_, n) => call(n)));
