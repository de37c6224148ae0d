import { hostname } from 'node:os';
import type { Election } from 'mempool-election';
import { nodePools } from 'mempool-node';
import type { ExtensionParts, Opened } from 'mempool-server/extension';
import { EpochBoard } from '../board/epoch-board.ts';
import { poolNames } from '../store/names.ts';
import type { SequencerSection } from './section.ts';
import { servedEpochs } from './served-epochs.ts';

/** Watches the epochs and the workers of the validator of this section. @throws the errors of `EpochBoard.start` */
export async function openEpochs(
  parts: ExtensionParts,
  { url, folder, level1GraceMs, level2GraceMs, onchainGraceMs, ...section }: SequencerSection,
): Promise<Opened> {
  const { port, log } = parts.options;
  const onRedis = url === null ? parts.config : { backend: 'redis', url };
  const pools = nodePools(folder === null ? onRedis : { backend: 'sqlite' }, { folder: folder ?? undefined });
  const { control } = poolNames(section.protocol, section.market);
  const observer = await pools.elect(control, { nodeId: nodeIdOf(port), observer: true, log });
  try {
    const board = await EpochBoard.start({
      ...section,
      election: startedWhenAsked(observer),
      grace: { level1Ms: level1GraceMs, level2Ms: level2GraceMs, onchainMs: onchainGraceMs },
      openPool: (name) => pools.open(name),
      removePool: async (name) => void (await pools.remove(name)),
      log,
    });
    const close = async (): Promise<void> => {
      await board.close().finally(() => observer[Symbol.asyncDispose]());
    };
    return { ...servedEpochs(board, parts), close };
  } catch (error) {
    await observer[Symbol.asyncDispose]();
    throw error;
  }
}

/** The same after a restart. */
function nodeIdOf(port: number): string {
  const host = hostname().replace(/[^\x21-\x7e]/g, '-');
  return `server:${host.slice(0, 100)}:${port}`;
}

/** It is started by who asks, so that a store that refuses it does not keep the server from its other work. */
function startedWhenAsked(election: Election): Pick<Election, 'members' | 'leader'> {
  return {
    get leader() {
      return election.leader;
    },
    async members() {
      await election.start();
      return election.members();
    },
  };
}
