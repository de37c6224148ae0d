import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { noServer } from '../backends/redis-server.ts';
import { type BenchContext, subjectPaths } from '../runner/context.ts';
import { take } from '../runner/measure.ts';
import { altoRedis } from './alto-redis.ts';
import { beeQueue } from './bee-queue.ts';
import { bullmqByCallers, bullmqOwnIds } from './bullmq.ts';
import { type CutRow, peerCorrectness } from './correctness.ts';
import { installPeers, type PeerInstall } from './install.ts';
import { type PeerMeasure, peerMeasures } from './measures.ts';
import { original } from './original.ts';
import { loadPeerSubject, ours, type PeerSubject } from './ours.ts';
import type { Peer } from './peer.ts';
import type { Lack, PeerSampled } from './tables.ts';

/** Outside the tree, and kept: the next run finds it installed. */
const folder: string = join(import.meta.dirname, '../../../../.data/bench-peers');
const seed = 1;

/** What others offer beside ours, in one pass. */
export interface PeersMeasured {
  readonly rows: readonly PeerSampled[];
  /** In the first pass only. */
  readonly cuts: readonly CutRow[];
  /** What ran, or why nothing of it did. */
  readonly ran: string;
  readonly lacking: readonly Lack[];
}

/** Runs what others offer beside ours. Without a network there is only what needs no package. */
export async function measurePeers(context: BenchContext): Promise<PeersMeasured> {
  const { redis: server, pass } = context;
  if (server === null) throw new Error(noServer);
  console.error('peers: installing them, once');
  const install = await installPeers(folder);
  if (install.kind === 'missing') console.error(`peers: left out, ${install.reason}`);
  const [redis, ephemeral] = await Promise.all([subjectPaths.redis, subjectPaths.ephemeral].map(loadPeerSubject));
  const subjects = { redis: redis as PeerSubject, ephemeral: ephemeral as PeerSubject };
  const here = (peer: Peer): boolean => install.kind === 'installed' || peer.package === null;
  const measures = peerMeasures({ redisUrl: server.url, folder, subjects }).filter(({ peer }) => here(peer));
  const rows = await rowsOf(measures, context);
  const cut = [ours(subjects.redis), bullmqByCallers(1), bullmqOwnIds, beeQueue, altoRedis, original].filter(here);
  if (pass.index === 0) console.error('peers: cutting connections');
  const cuts = pass.index > 0 ? [] : await peerCorrectness({ redisUrl: server.url, folder, peers: cut, seed });
  const lacking = [...measures.map(({ peer }) => peer), bullmqOwnIds].filter(here);
  const lacks = lacking.map(({ name, lacks }): Lack => ({ name, lacks }));
  return { rows, cuts, ran: ranOf(lacking, install), lacking: lacks };
}

async function rowsOf(measures: readonly PeerMeasure[], { rounds, pass }: BenchContext): Promise<PeerSampled[]> {
  const rows: PeerSampled[] = [];
  for (const measure of measures) {
    const { backend, title } = measure;
    console.error(`peers: ${title}`);
    rows.push(
      await take(measure, rounds, pass).then(
        (sampled): PeerSampled => ({ kind: 'measured', sampled }),
        (error: Error): PeerSampled => ({ kind: 'not run', backend, title, reason: error.message }),
      ),
    );
  }
  return rows;
}

function ranOf(peers: readonly Peer[], install: PeerInstall): string {
  return install.kind === 'installed'
    ? `Beside ours ran ${versions(peers).join(', ')}, driven as their documents advise, in turns within each round.`
    : `Not run: every peer that is a package (${install.reason}).`;
}

function versions(peers: readonly Peer[]): string[] {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const names = new Set(peers.flatMap(({ package: name }) => (name === null ? [] : [name])));
  return [...names].map((name) => `${name} ${dependencies[name]}`);
}
