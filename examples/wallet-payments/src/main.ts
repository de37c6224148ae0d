/** Payments between wallets: reserved when the pool takes them, moved when they are final, given back when they are dropped. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Bank } from './bank.ts';
import type { Payment } from './payment.ts';

const folder = mkdtempSync(join(tmpdir(), 'wallet-payments-'));
const rent: Payment = { from: 'ann', to: 'ben', cents: 6_000, number: 1 };
const lunch: Payment = { from: 'ben', to: 'ann', cents: 900, number: 2 };

{
  await using bank = await Bank.open(folder);
  console.log('Ann has 100 euros and Ben 20. The money of admitted payments is reserved:');
  await bank.createWallet('ann', 10_000n);
  await bank.createWallet('ben', 2_000n);
  await bank.submit(rent);
  await bank.submit({ ...rent, number: 3 });
  await bank.settle();

  console.log('A block carries the rent. The second block makes it final, and its money moves:');
  await bank.block('A', rent);
  await bank.block('B');
  await bank.settle();

  console.log('A fork without the rent: it waits again, and its money is given back and reserved:');
  await bank.undo(2);
  await bank.block('A′');
  await bank.settle();

  console.log('Ben pays lunch and withdraws it; the rent becomes final again:');
  await bank.submit(lunch);
  await bank.drop(lunch);
  await bank.block('B′', rent);
  await bank.block('C′');
  await bank.settle();
}

console.log('A process is killed before it has settled its last blocks. The next one goes on:');
crash('final');
{
  await using bank = await Bank.open(folder);
  await bank.settle();
}

console.log('A process is killed between the reservation and the pool. Nobody waits for its money for ever:');
crash('reserved');
await using bank = await Bank.open(folder);
await bank.settle();

const { ok, wallets, records } = await bank.ledger.audit();
console.log(`The audit of ${wallets} wallets and ${records} records: ${ok ? 'clean' : 'faults'}`);
rmSync(folder, { recursive: true });

function crash(moment: 'reserved' | 'final'): void {
  const program = fileURLToPath(new URL('crash.ts', import.meta.url));
  const { stdout, signal } = spawnSync(process.execPath, [...process.execArgv, program, folder, moment]);
  console.log(`${stdout}  killed by ${signal}`);
}
