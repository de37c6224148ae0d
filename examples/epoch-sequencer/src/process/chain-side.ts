import { redis } from 'mempool-redis';
import { poolNames, type Sequencer } from 'mempool-sequencer';
import { signerOf, slotVerifier, verifyBy } from 'mempool-sequencer/evm';
import { namespaceOf, type ValidatorConfig } from './config.ts';
import type { ChainSide } from './role.ts';

/** The chain's side of a validator whose chain and contract are real. */
export function chainSideOf(config: ValidatorConfig): ChainSide {
  const { chain, key, slots } = config;
  const { address, sign } = signerOf(key);
  const slotAddresses = new Map(slots.map((each, i) => [i + 1, each]));
  const { domain } = chain;
  return {
    domain,
    validator: address,
    sign,
    verifyBatch: ({ digest, validator, signature }) => verifyBy(validator)(digest, signature),
    verifySlot: slotVerifier(slotAddresses),
    isSlot: (slot) => slotAddresses.has(slot),
    follow: (sequencer, leadership, { signal }) => follow(config, sequencer, leadership, signal),
    relay: (sequencer, part) => relay(config, sequencer, part),
  };
}

const report = (error: unknown): void => console.error(`chain: ${error instanceof Error ? error.message : error}`);

/** The pool of the relayer's transactions. It has an election of its own. */
function relayPoolOf(config: ValidatorConfig): { readonly url: string; readonly pool: string } {
  const { protocol, market } = namespaceOf(config);
  return { url: config.redis, pool: `${poolNames(protocol, market).control}:relay` };
}

async function follow(
  config: ValidatorConfig,
  sequencer: Sequencer,
  leadership: Parameters<ChainSide['follow']>[1],
  signal: AbortSignal,
): Promise<void> {
  const { followEpochs } = await import('mempool-sequencer/evm');
  // The relayer's process has the watcher.
  await using pool = await redis.open({ ...relayPoolOf(config), ordering: 'priority' });
  const { chain: contract, finalityBlocks } = config;
  await followEpochs({ contract, relay: pool, sequencer, finalityBlocks, report }, leadership, { signal });
}

async function relay(
  config: ValidatorConfig,
  epochs: Sequencer,
  { signal, working }: Parameters<ChainSide['relay']>[1],
): Promise<void> {
  const [{ EpochRelayer }, { openRelayPool }] = await Promise.all([
    import('mempool-sequencer/evm'),
    import('mempool-sequencer/evm'),
  ]);
  const { leaseMs: watcherLockTtlMs, chain: contract, key, finalityBlocks } = config;
  const pool = { backend: 'redis', ...relayPoolOf(config), watcherLockTtlMs } as const;
  await using node = await openRelayPool(pool, contract, { finalityBlocks });
  working();
  const privateKey = `0x${key}` as const;
  await new EpochRelayer({ contract, privateKey, relay: node, epochs, finalityBlocks, report }).run({ signal });
}
