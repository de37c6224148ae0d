// A process of its own that runs what others offer beside ours.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { figureOf, take } from '../goals/measure.ts';
import { serve } from '../runner/process.ts';
import type { BenchContext } from '../setup/context.ts';
import { noServer } from '../setup/redis-server.ts';
import { root } from '../setup/subject.ts';
import { altoRedis } from './alto.ts';
import { beeQueue } from './bee-queue.ts';
import { bullmqByCallers, bullmqOwnIds } from './bullmq.ts';
import { cutRows } from './cuts.ts';
import { installPeers } from './install.ts';
import { original } from './original.ts';
import { ourBackend, ours } from './ours.ts';
import type { Peer } from './peer.ts';
import type { Compared, SpeedRow } from './report.ts';
import { type PeerMeasure, peerMeasures } from './speeds.ts';

/** Outside the tree, and kept: the next run finds them installed. */
const folder = join(root, '.data/bench-peers');

serve(async (_: null, context: BenchContext): Promise<Compared> => {
  if (context.redis === null) throw new Error(noServer);
  const redisUrl = context.redis.url;
  console.error('peers: installing them, once');
  const missing = await installPeers(folder);
  if (missing !== null) console.error(`peers: left out, ${missing}`);
  // Without a network there is only what needs no package.
  const isHere = (peer: Peer): boolean => missing === null || peer.package === null;
  const measures = (await peerMeasures({ redisUrl, folder })).filter(({ peer }) => isHere(peer));
  const rows: SpeedRow[] = [];
  for (const measure of measures) rows.push(await rowOf(measure, context));
  console.error('peers: cutting connections');
  const ourRedis = ours(await ourBackend('redis'));
  const peers = [ourRedis, bullmqByCallers(1), bullmqOwnIds, beeQueue, altoRedis, original].filter(isHere);
  const cuts = await cutRows({ redisUrl, folder, peers, seed: 1 });
  const lacking = [...measures.map(({ peer }) => peer), bullmqOwnIds].filter(isHere);
  const ran =
    missing === null
      ? `Beside ours ran ${versions(lacking).join(', ')}, driven as their documents advise, in turns within each round.`
      : `Not run: every peer that is a package (${missing}).`;
  return { rows, cuts, ran, lacking: lacking.map(({ name, lacks }) => ({ name, lacks })) };
});

async function rowOf(measure: PeerMeasure, context: BenchContext): Promise<SpeedRow> {
  const { backend, title } = measure;
  console.error(`peers: ${title}`);
  return take(measure, context).then(
    (sampled): SpeedRow => ({ kind: 'measured', figure: figureOf(sampled) }),
    (error: Error): SpeedRow => ({ kind: 'not run', backend, title, reason: error.message }),
  );
}

function versions(peers: readonly Peer[]): string[] {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const names = new Set(peers.flatMap(({ package: name }) => name ?? []));
  return [...names].map((name) => `${name} ${dependencies[name]}`);
}
