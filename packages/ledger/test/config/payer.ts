/** A process that pays, makes blocks and forks, drops, and follows, until it is killed. It says each thing that it has done. */
import { createHash, randomUUID } from 'node:crypto';
import { isMempoolError } from 'mempool-core';
import { isLedgerError } from 'mempool-ledger';
import { Random } from 'mempool-testkit';
import { wallets } from '../pool/filled.ts';
import { encode } from '../pool/payment.ts';
import { coupled, openStage } from './stage.ts';

const [place = '', seed = '0'] = process.argv.slice(2);
const random = new Random(Number(seed));
const stage = await openStage(place);
const payments = coupled(stage);
const { pool } = stage;
payments.follow().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

for (;;) {
  try {
    await act();
  } catch (error) {
    // Another process is at the file or in the way: the next thing may work.
    if (!isMempoolError(error) && !isLedgerError(error)) throw error;
    if (!('retryable' in error && error.retryable) && !isLedgerError(error, 'ERR_LEDGER_UNAVAILABLE')) throw error;
  }
  process.stdout.write('.');
}

async function act(): Promise<void> {
  switch (random.below(8)) {
    case 0:
    case 1:
    case 2:
      return void (await Promise.all(Array.from({ length: 4 }, () => payments.submit(anyPayment()))));
    case 3:
    case 4:
    case 5:
      return block();
    case 6: {
      const { points } = await pool.tip({ points: 6 });
      const target = points[1 + random.below(5)];
      return void (target !== undefined && (await pool.rollback(target)));
    }
    default:
      return void (await pool.drop(await live(2), 'expired'));
  }
}

function anyPayment() {
  const [from = 'a', to = 'b'] = random.shuffled(wallets);
  return encode({ from, to, amount: 1 + random.below(40), nonce: randomUUID() });
}

async function live(limit: number): Promise<string[]> {
  const { transactions } = await pool.peekPending({ limit: 20 });
  return random.shuffled(transactions.map(({ hash }) => hash)).slice(0, limit);
}

/** A block on the present tip, if no other process is faster. Now and then it carries one that was dropped. */
async function block(): Promise<void> {
  const { point: tip } = await pool.tip();
  const seen = await live(5);
  if (random.below(4) === 0) {
    const { entries } = await pool.dumpFinalized({ limit: 1_000 });
    if (entries.length > 0) seen.push(random.pick(entries).hash);
  }
  const hash = createHash('sha256').update(randomUUID()).digest('hex');
  await pool.confirm({ point: { slot: (tip?.slot ?? 0) + 1, hash }, parent: tip?.hash, seen, unseen: [] });
}
