/** A relayer in a process of its own, which tests kill: `relayer-program.ts <path of its errand>`. */
import { readFileSync } from 'node:fs';
import { EpochRelayer, openRelayPool } from 'mempool-sequencer/evm';
import type { Errand } from './scene.ts';

const [errand = ''] = process.argv.slice(2);
/** More epochs come while it runs. */
const read = (): Errand => JSON.parse(readFileSync(errand, 'utf8'));
const { contract, privateKey, finalityBlocks, pool } = read();
const relay = await openRelayPool({ ...pool, watcherLockTtlMs: 400 }, contract, { finalityBlocks, pollMs: 20 });
const relayer = new EpochRelayer({
  contract,
  privateKey,
  relay,
  finalityBlocks,
  pollMs: 20,
  epochs: {
    activeEpochs: async () => read().certificates.map(({ epoch }) => epoch),
    epoch: async () => ({ phase: 'onchain' }),
    certificate: async (epoch) => read().certificates.find((each) => each.epoch === epoch) ?? null,
  },
});
console.log('running');
await relayer.run(new AbortController());
