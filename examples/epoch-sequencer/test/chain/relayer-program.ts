/** A relayer in a process of its own, which tests kill: `relayer-program.ts <path of the pool> <JSON>`. */
import { readFileSync } from 'node:fs';
import { EpochRelayer } from '../../src/chain/epoch-relayer.ts';
import { openRelayPool } from '../../src/chain/relay-pool.ts';
import type { Errand } from './scene.ts';

const [path = '', errand = '{}'] = process.argv.slice(2);
const { contract, privateKey, certificates, finalityBlocks } = JSON.parse(readFileSync(errand, 'utf8')) as Errand;
const known = new Map(certificates.map((each) => [each.epoch, each]));
const config = { backend: 'sqlite', path, ordering: 'priority', watcherLockTtlMs: 400 } as const;
const relay = await openRelayPool(config, contract, { finalityBlocks, pollMs: 20 });
const relayer = new EpochRelayer({
  contract,
  privateKey,
  relay,
  finalityBlocks,
  pollMs: 20,
  epochs: {
    activeEpochs: async () => [...known.keys()],
    epoch: async () => ({ phase: 'onchain' }),
    certificate: async (epoch) => known.get(epoch) ?? null,
  },
});
console.log('running');
await relayer.run(new AbortController());
