import { redis } from 'mempool-redis';
import type { Deployed } from '../evm/contract.ts';
import { EpochRelayer } from '../evm/epoch-relayer.ts';
import { followEpochs } from '../evm/follow-epochs.ts';
import { openRelayPool } from '../evm/relay-pool.ts';
import { domainOf } from '../evm/submission-signature.ts';
import { poolNames } from '../store/names.ts';
import { electionOf, wordsOf } from './open-role.ts';
import type { OpenRole, RoleParts } from './role.ts';
import { namespaceOf, type RoleSection } from './section.ts';

/** The event monitor: one of them leads. It reads the chain, and moves the epochs. */
export async function openMonitor(parts: RoleParts): Promise<OpenRole> {
  const { section, sequencer, signal, log } = parts;
  const election = electionOf(parts);
  await election.start();
  // The relayer's process has the watcher.
  const relay = await redis.open({ ...relayPlace(parts), ordering: 'priority' });
  const { fromBlock, finalityBlocks } = section;
  const follow = {
    contract: contractOf(section),
    relay,
    sequencer,
    fromBlock,
    finalityBlocks,
    report: reporter(parts),
  };
  const leading = () =>
    election.runAsLeader(
      async (lost, _, leadership) => {
        log('info', 'leads');
        await Promise.all([
          sequencer.lead(leadership, { signal: lost }),
          followEpochs(follow, leadership, { signal: lost }),
        ]);
      },
      { signal },
    );
  return {
    run: () => leading(),
    [Symbol.asyncDispose]: async () => {
      await relay.close();
      await election[Symbol.asyncDispose]();
    },
  };
}

/** Puts certified results on the chain. */
export async function openRelayer(parts: RoleParts): Promise<OpenRole> {
  const { section, sequencer, leaseMs, signal } = parts;
  const { finalityBlocks, key } = section;
  const contract = contractOf(section);
  const place = { backend: 'redis', ...relayPlace(parts), watcherLockTtlMs: leaseMs } as const;
  const relay = await openRelayPool(place, contract, { finalityBlocks });
  const options = { contract, privateKey: `0x${key}`, relay, epochs: sequencer, finalityBlocks } as const;
  return {
    run: () => new EpochRelayer({ ...options, report: reporter(parts) }).run({ signal }),
    [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose](),
  };
}

function reporter({ log }: RoleParts): (error: unknown) => void {
  return (error) => log('warn', 'the chain has a problem, and is asked again', { error: wordsOf(error) });
}

function contractOf({ rpc, contract, chainId, protocol, market }: RoleSection): Deployed {
  const domain = domainOf({ chainId, contract, name: `${protocol}:${market}` });
  return { url: rpc, address: contract as `0x${string}`, chainId, domain };
}

/** The pool of the relayer's transactions. It has an election of its own. */
function relayPlace({ section, url }: RoleParts): { readonly url: string; readonly pool: string } {
  const { protocol, market } = namespaceOf(section);
  return { url, pool: `${poolNames(protocol, market).control}:relay` };
}
