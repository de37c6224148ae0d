import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchContext, subjectPaths } from './context.ts';
import type { Extra, ExtraResult } from './extras.ts';
import { type Figure, take } from './measure.ts';
import type { Peer } from './peer.ts';
import { altoRedis } from './peer-alto-redis.ts';
import { beeQueue } from './peer-bee-queue.ts';
import { bullmqByCallers, bullmqOwnIds } from './peer-bullmq.ts';
import { peerCorrectness } from './peer-correctness.ts';
import { installPeers, type PeerInstall } from './peer-install.ts';
import { type PeerMeasure, peerMeasures } from './peer-measures.ts';
import { original } from './peer-original.ts';
import { loadPeerSubject, ours, type PeerSubject } from './peer-ours.ts';
import { cutTable, lackList, type PeerRow, speedTable } from './peer-tables.ts';
import type { Section } from './result.ts';

/** Outside the tree, and kept: the next run finds it installed. */
const folder: string = join(import.meta.dirname, '../../../.data/bench-peers');
const seed = 1;

/** Runs what others offer beside ours. Without a network there is only what needs no package. */
export const peerComparison: Extra = {
  async run(context: BenchContext): Promise<ExtraResult> {
    const { redis: server, rounds } = context;
    if (server === null)
      throw new Error('no redis-server on the PATH: install it, or leave the peers out with --no-peers');
    console.error('peers: installing them, once');
    const install = await installPeers(folder);
    if (install.kind === 'missing') console.error(`peers: left out, ${install.reason}`);
    const [redis, ephemeral] = await Promise.all([subjectPaths.redis, subjectPaths.ephemeral].map(loadPeerSubject));
    const subjects = { redis: redis as PeerSubject, ephemeral: ephemeral as PeerSubject };
    const here = ({ peer }: { readonly peer: Peer }): boolean => install.kind === 'installed' || peer.package === null;
    const measures = peerMeasures({ redisUrl: server.url, folder, subjects }).filter(here);
    const rows = await rowsOf(measures, rounds);
    const cut = [ours(subjects.redis), bullmqByCallers(1), bullmqOwnIds, beeQueue, altoRedis, original];
    const peers = cut.filter((peer) => here({ peer }));
    console.error('peers: cutting connections');
    const cuts = await peerCorrectness({ redisUrl: server.url, folder, peers, seed });
    const lacking = [...measures.map(({ peer }) => peer), bullmqOwnIds].filter((peer) => here({ peer }));
    return {
      goals: goalsOf(rows),
      sections: [speeds(rows, lacking, install), correctness(cutTable(cuts))],
    };
  },
};

async function rowsOf(measures: readonly PeerMeasure[], rounds: number | undefined): Promise<PeerRow[]> {
  const rows: PeerRow[] = [];
  for (const measure of measures) {
    const { backend, title } = measure;
    console.error(`peers: ${title}`);
    rows.push(
      await take(measure, rounds).then(
        (figure): PeerRow => ({ kind: 'measured', figure }),
        (error: Error): PeerRow => ({ kind: 'not run', backend, title, reason: error.message }),
      ),
    );
  }
  return rows;
}

/** Not to be slower is no goal of the design, only what a reader looks for. */
function goalsOf(rows: readonly PeerRow[]): Figure[] {
  return rows.flatMap((row) => (row.kind === 'measured' && row.figure.goal.value > 1 ? [row.figure] : []));
}

function speeds(rows: readonly PeerRow[], peers: readonly Peer[], install: PeerInstall): Section {
  const note =
    install.kind === 'installed'
      ? `Beside ours ran ${versions(peers).join(', ')}, driven as their documents advise, in turns within each round.`
      : `Not run: every peer that is a package (${install.reason}).`;
  const calls =
    'In bulk and without a number is 100 transactions a call, where there is such a call. A goal of 1 is "not slower".';
  const lack = `What each has not, next to ours:\n\n${lackList(peers)}`;
  return { title: 'Peers', markdown: [`${note} ${calls}`, speedTable(rows), lack].join('\n\n') };
}

function versions(peers: readonly Peer[]): string[] {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const names = new Set(peers.flatMap(({ package: name }) => (name === null ? [] : [name])));
  return [...names].map((name) => `${name} ${dependencies[name]}`);
}

function correctness(rows: string): Section {
  const note = [
    'Each step is asked for one transaction while its connection is cut before one of the replies that it needs (chosen by',
    'seed); a caller that gets an error tries once more. Doubled is a second copy, or a second transaction taken for one',
    'call. Held by nobody is in flight with no caller told of it: a running BullMQ worker gives it back after 30 seconds,',
    'bee-queue at a stall check, Alto never.',
  ].join('\n');
  return { title: 'A connection cut before the reply', markdown: `${note}\n\n${rows}` };
}
