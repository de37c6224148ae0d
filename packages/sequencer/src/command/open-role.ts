import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Logger } from 'mempool-core';
import { misconfigured } from 'mempool-core/backend';
import { createElection, type Election } from 'mempool-election';
import { redis, redisElection } from 'mempool-redis';
import { signerOf, verifyBy } from '../evm/signer.ts';
import { domainOf, slotVerifier } from '../evm/submission-signature.ts';
import type { SequencerOptions } from '../sequencer.ts';
import { poolNames } from '../store/names.ts';
import type { NamespaceOptions } from '../store/namespace.ts';
import type { RoleConfig } from './role.ts';
import { namespaceOf, type RoleSection } from './section.ts';

/** The pools of a validator on its Redis. */
export function homeOf({ section, url }: Pick<RoleConfig, 'url'> & { readonly section: Named }): NamespaceOptions {
  return {
    ...namespaceOf(section),
    openPool: (pool, limits) => redis.open({ url, pool, ...limits, sweepEveryMs: 500 }),
    removePool: async (pool) => void (await redis.remove({ url, pool })),
  };
}

type Named = Pick<RoleSection, 'protocol' | 'market' | 'name'>;

/** The election of the validator's leader. Its lease is the one that the control pool compares. An observer only reports that it lives. */
export function electionOf(
  { section, url, leaseMs, name }: Pick<RoleConfig, 'section' | 'url' | 'leaseMs' | 'name'>,
  { observer = false }: { readonly observer?: boolean } = {},
): Election {
  const { protocol, market } = namespaceOf(section);
  const { control } = poolNames(protocol, market);
  const pollMs = Math.floor(leaseMs / 5);
  return createElection(redisElection, { url, pool: control, nodeId: name, observer, ttlMs: leaseMs, pollMs });
}

/** The options of a sequencer that follow from the configuration. @throws `ERR_MEMPOOL_CONFIG` naming `sequencer.verify` */
export async function sequencerOptions(config: RoleConfig, log: Logger): Promise<SequencerOptions> {
  const { section, name } = config;
  const { chainId, contract, protocol, market, slots, claimMs, level2TimeoutMs, peerRate, key } = section;
  const { address, sign } = signerOf(key);
  const slotAddresses = new Map(slots.map((each, i) => [i + 1, each]));
  const claims = claimMs === null ? {} : { claimMs, partClaimMs: claimMs, messageClaimMs: claimMs };
  return {
    ...homeOf(config),
    ...claims,
    domain: domainOf({ chainId, contract, name: `${protocol}:${market}` }),
    validator: address,
    sign,
    verifyBatch: ({ digest, validator, signature }) => verifyBy(validator)(digest, signature),
    verifySlot: slotVerifier(slotAddresses),
    isSlot: (slot) => slotAddresses.has(slot),
    verify: section.verify === null ? undefined : await loadVerify(section.verify),
    owner: name,
    ...{ level2TimeoutMs, peerRate },
    idleMs: 100,
    // Only the leader publishes, and only then the library is loaded.
    publish: async (batch) => (await import('../ipfs/index.ts')).ipfsPublisher({ url: section.ipfs })(batch),
    // The gateway sends batches.
    gossip: () => undefined,
    reportClock: (offsetMs) => log('warn', "this clock is ahead of the store's", { offsetMs }),
    report: (error, epoch) =>
      log('warn', 'an epoch has a problem, and is tried again', { epoch, error: wordsOf(error) }),
  };
}

/** The message of an error, without its stack. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function loadVerify(module: string): Promise<NonNullable<SequencerOptions['verify']>> {
  const loaded: { readonly default?: unknown } = await import(pathToFileURL(resolve(module)).href).catch((error) => {
    throw misconfigured('sequencer.verify', `names a module that does not load: ${wordsOf(error)}`);
  });
  if (typeof loaded.default !== 'function')
    throw misconfigured('sequencer.verify', `names a module without a function as its default export: ${module}`);
  return loaded.default as NonNullable<SequencerOptions['verify']>;
}
