import { fileURLToPath } from 'node:url';
import { runProgram, startProgram } from 'mempool-testkit';
import { expect, onTestFinished, test } from 'vitest';
import { currency, openAt, type Place } from './place.ts';
import { places } from './places.ts';

const debtor = fileURLToPath(new URL('debtor.ts', import.meta.url));

interface Reported {
  readonly outcomes: readonly string[];
  readonly digests: readonly string[];
  readonly carriedOut: number;
}

async function debit(place: Place, name: string): Promise<Reported> {
  const { stdout, stderr } = await runProgram([debtor, place, name, '250', '25']);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

async function opened(place: Place) {
  const ledger = await openAt(place);
  onTestFinished(() => ledger.close());
  for (const id of ['alice', 'bob']) await ledger.createWallet({ id, owner: id, currency });
  return ledger;
}

test.each(Object.entries(places))(
  'on %s, of 500 debits at once by two processes a balance of 100 covers 100; one id 50 times at once has one effect',
  // To start processes may take a minute while many others start.
  { timeout: 120_000 },
  async (_, newPlace) => {
    const place = newPlace();
    const ledger = await opened(place);
    await ledger.transfer({ id: 'fund', source: '~vault', destination: 'alice', amount: 100n, currency });
    const reports = await Promise.all(['a', 'b'].map((name) => debit(place, name)));
    const outcomes = reports.flatMap((each) => each.outcomes);
    const countOf = (outcome: string) => outcomes.filter((each) => each === outcome).length;
    expect([countOf('created'), countOf('insufficient_funds')]).toEqual([100, 400]);
    const digests = reports.flatMap((each) => each.digests);
    expect([digests.length, new Set(digests).size]).toEqual([50, 1]);
    expect(reports.reduce((sum, { carriedOut }) => sum + carriedOut, 0)).toBe(1);
    expect(await ledger.wallet('bob')).toMatchObject({ creditsPosted: 101n });
    expect(await ledger.wallet('alice')).toMatchObject({ creditsPosted: 100n, debitsPosted: 100n });
    expect(await ledger.audit()).toMatchObject({ ok: true, faults: [] });
  },
);

test.each(Object.entries(places))(
  'on %s a subscriber gets the records of another process, each once and in order',
  { timeout: 120_000 },
  async (_, newPlace) => {
    const place = newPlace();
    const ledger = await opened(place);
    const { ended } = startProgram([debtor, place, 'a', '20', '5']);
    const seen: number[] = [];
    for await (const event of ledger.subscribe({ after: 3 })) {
      if (event.type !== 'transfer') throw new Error(`unexpected: ${event.type}`);
      seen.push(event.seq);
      if (event.transfer.id === 'same') break;
    }
    expect(seen).toEqual(Array.from({ length: 21 }, (_, n) => n + 4));
    await ended;
  },
);
