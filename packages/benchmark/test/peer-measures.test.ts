import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BenchServer, startServer } from '../src/backends/redis-server.ts';
import { type PeerMeasure, peerMeasures } from '../src/peers/measures.ts';
import { loadPeerSubject } from '../src/peers/ours.ts';
import { subjectPaths } from '../src/runner/context.ts';

const folder = mkdtempSync(join(tmpdir(), 'peer-measures-'));
let server: BenchServer | null = null;

beforeAll(async () => {
  server = await startServer(folder);
});

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function measuresOf(longestRoundMs: number): Promise<PeerMeasure[]> {
  const [redis, ephemeral] = await Promise.all([
    loadPeerSubject(subjectPaths.redis),
    loadPeerSubject(subjectPaths.ephemeral),
  ]);
  const redisUrl = server?.url ?? '';
  return peerMeasures({ redisUrl, folder, subjects: { redis, ephemeral }, longestRoundMs });
}

function withoutPackage(measures: readonly PeerMeasure[]): PeerMeasure[] {
  return measures.filter(({ peer }) => peer.package === null);
}

describe('the measures against peers', () => {
  test('have a title each, by which a stored run finds them', async () => {
    const titles = (await measuresOf(60_000)).map(({ backend, title }) => `${backend}: ${title}`);
    expect(new Set(titles).size).toBe(titles.length);
  });

  test('give a ratio in every round, whichever of the two begins', async () => {
    const measures = withoutPackage(await measuresOf(60_000));
    expect(measures.length).toBeGreaterThan(0);
    for (const measure of measures) for (const round of [0, 1]) expect(await measure.sample(round)).toBeGreaterThan(0);
  });

  test('stop where a round takes too long', async () => {
    for (const measure of withoutPackage(await measuresOf(-1))) await expect(measure.sample(0)).rejects.toThrow();
  });

  test('fail where the peer is not installed', async () => {
    const missing = (await measuresOf(60_000)).filter(({ peer }) => peer.package !== null);
    for (const measure of missing.filter(({ title }) => title.includes('n = 1,000')))
      await expect(measure.sample(1)).rejects.toThrow();
  });
});
