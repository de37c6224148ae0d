import { seed } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { places } from '../stores/places.ts';
import { killRun } from './kill-run.ts';

for (const [name, place] of Object.entries(places)) {
  test(`on ${name}, through twenty kills and forks, every Finalized payment is posted once and every dropped one voided (seed ${seed})`, async () => {
    const { faults, posted, voided, ended } = await killRun(place(), 20, seed);
    console.log(`${name}: ${posted} posted, ${voided} voided`);
    expect(ended).toEqual([]);
    expect(faults).toEqual([]);
    expect(Math.min(posted, voided)).toBeGreaterThan(20);
  });
}
