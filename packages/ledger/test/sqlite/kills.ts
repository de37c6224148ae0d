import { once } from 'node:events';
import { join } from 'node:path';
import { type Ledger, openLedger } from 'mempool-ledger';
import { sqliteLedger } from 'mempool-ledger/sqlite';
import { Random, seed } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { start } from '../../../sqlite/test/program.ts';

const mostAnswers = 150;

interface Answered {
  readonly outcome: string;
  readonly id: string;
  readonly digest: string;
}

/** Runs a payer until it is killed, in the middle of a write most likely. What it was answered before. */
async function payUntilKilled(random: Random, path: string, kill: number): Promise<readonly Answered[]> {
  const child = start('../../ledger/test/sqlite/payer.ts', [path, String(kill), random.pick(['full', 'normal'])]);
  const enough = random.below(mostAnswers);
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.split('\n').length > enough) child.kill('SIGKILL');
  });
  expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
  const whole = output.slice(0, output.lastIndexOf('\n') + 1).trimEnd();
  return whole === '' ? [] : whole.split('\n').map((line) => JSON.parse(line));
}

async function expectKept(ledger: Ledger, answered: readonly Answered[]): Promise<void> {
  for (const { id, outcome, digest } of answered)
    expect(await ledger.findTransfer(id)).toMatchObject({ outcome, digest });
  expect(await ledger.audit()).toMatchObject({ ok: true, faults: [] });
}

/** Processes that write to one ledger are killed, so many times, while another writes too. */
export function testKills(kills: number): void {
  test(`${kills} kills of processes that write lose nothing that was answered, and leave whole steps (MEMPOOL_TEST_SEED=${seed})`, {
    timeout: 1_200_000,
  }, async () => {
    const random = new Random(seed);
    const path = join(scratchFolder(), 'ledger.db');
    const all: Answered[] = [];
    for (let kill = 0; kill < kills; kill += 2) {
      // Two at once: one is killed while it waits for the other.
      const both = await Promise.all([payUntilKilled(random, path, kill), payUntilKilled(random, path, kill + 1)]);
      const answered = both.flat();
      const ledger = await openLedger(sqliteLedger, { path, currency: 'ADA' });
      await expectKept(ledger, answered);
      await ledger.close();
      all.push(...answered);
    }
    const ledger = await openLedger(sqliteLedger, { path, currency: 'ADA' });
    await expectKept(ledger, all);
    await ledger.close();
    expect(all.length).toBeGreaterThan(kills);
  });
}
