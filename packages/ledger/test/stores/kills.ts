import { fileURLToPath } from 'node:url';
import type { Ledger } from 'mempool-ledger';
import { Random, seed, startProgram } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { openAt, type Place } from './place.ts';
import { places } from './places.ts';

const payer = fileURLToPath(new URL('payer.ts', import.meta.url));
const mostAnswers = 150;

interface Answered {
  readonly outcome: string;
  readonly id: string;
  readonly digest: string;
}

/** Runs a payer until it is killed, in the middle of a write most likely. Returns the answers before that. */
async function payUntilKilled(random: Random, place: Place, kill: number): Promise<readonly Answered[]> {
  const { child, ended } = startProgram([payer, place, String(kill), random.pick(['full', 'normal'])]);
  const enough = random.below(mostAnswers);
  let lines = 0;
  child.stdout?.on('data', (bytes: Buffer) => {
    lines += bytes.toString('latin1').split('\n').length - 1;
    if (lines > enough) child.kill('SIGKILL');
  });
  const { signal, stdout, stderr } = await ended;
  expect([signal, stderr]).toEqual(['SIGKILL', '']);
  const whole = stdout.slice(0, stdout.lastIndexOf('\n') + 1).trimEnd();
  return whole === '' ? [] : whole.split('\n').map((line) => JSON.parse(line));
}

async function expectKept(ledger: Ledger, answered: readonly Answered[]): Promise<void> {
  for (const { id, outcome, digest } of answered)
    expect(await ledger.findTransfer(id)).toMatchObject({ outcome, digest });
  expect(await ledger.audit()).toMatchObject({ ok: true, faults: [] });
}

/** Processes that write to one ledger are killed, so many times, while another writes too. */
export function testKills(kills: number): void {
  test.each(Object.entries(places))(
    `on %s ${kills} kills of processes that write lose no answered call, and leave whole steps (seed ${seed})`,
    { timeout: 1_200_000 },
    async (_, newPlace) => {
      const random = new Random(seed);
      const place = newPlace();
      const all: Answered[] = [];
      for (let kill = 0; kill < kills; kill += 2) {
        // Two at once: one is killed while it waits for the other.
        const both = await Promise.all([payUntilKilled(random, place, kill), payUntilKilled(random, place, kill + 1)]);
        all.push(...both.flat());
        // The file is opened again after each kill.
        const ledger = await openAt(place);
        await expectKept(ledger, kill + 2 < kills ? both.flat() : all);
        await ledger.close();
      }
      expect(all.length).toBeGreaterThan(kills);
    },
  );
}
