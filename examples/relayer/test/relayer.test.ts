import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, inject, onTestFinished, test } from 'vitest';
import { digest, StubNode } from '../src/stub-node.ts';
import { Relayer } from './relayer.ts';

const timeout = 120_000;

/** A relayer and its node. */
async function open(config: object) {
  const path = join(scratchFolder(), 'pool.json');
  writeFileSync(path, JSON.stringify({ finalize_threshold: 2, drop_threshold: 'never', ...config }));
  const taken = new Set<string>();
  const scene = { atTheNode: async (_hash: string) => 202 };
  const node = new StubNode(async (hash) => {
    const status = await scene.atTheNode(hash);
    if (status < 300) taken.add(hash);
    return status;
  });
  const relayer = new Relayer({ CONFIG: path, NODE_URL: await node.listen(0), CLAIM_MS: '500' });
  onTestFinished(async () => {
    await relayer.kill();
    node.close();
  });
  await relayer.start();
  const until = (hash: string, stage: string) =>
    expect.poll(() => relayer.stage(hash), { timeout: 30_000, interval: 20 }).toBe(stage);
  /** Blocks come until the transaction is final. */
  const finish = async (hash: string) => {
    await expect.poll(() => taken.has(hash), { timeout: 30_000, interval: 20 }).toBe(true);
    for (const _ of [1, 2, 3]) node.mine();
    await until(hash, 'Finalized');
  };
  return { node, relayer, scene, taken, until, finish };
}

type Scene = Awaited<ReturnType<typeof open>>;

/** Where the relayer is killed. Each function kills it once, and starts it again. */
const steps: Readonly<Record<string, (scene: Scene, payload: string) => Promise<void>>> = {
  async 'while a submission is on its way'({ relayer }, payload) {
    const lost = relayer.submit(payload).catch(() => null);
    await relayer.kill();
    await lost;
    await relayer.start();
    expect(['received', 'duplicate']).toContain((await relayer.submit(payload)).kind);
  },

  async 'after a submission was answered'({ relayer }, payload) {
    expect(await relayer.submit(payload)).toMatchObject({ kind: 'received' });
    await relayer.kill();
    await relayer.start();
    expect(await relayer.submit(payload)).toMatchObject({ kind: 'duplicate' });
  },

  async 'while the node judges, which then refuses'(scene, payload) {
    await killedAtTheNode(scene, payload, 503);
  },

  async 'while the node judges, which then takes it'(scene, payload) {
    await killedAtTheNode(scene, payload, 202);
  },

  async 'after the node refused it'({ relayer, scene, until }, payload) {
    const refused = Promise.withResolvers<void>();
    scene.atTheNode = async () => {
      scene.atTheNode = async () => 202;
      refused.resolve();
      return 503;
    };
    const { hash } = await relayer.submit(payload);
    await refused.promise;
    // It is held back, and has not been sent again.
    await until(hash, 'Pending');
    await relayer.kill();
    await relayer.start();
  },

  async 'after the acknowledgement'({ relayer, until }, payload) {
    const { hash } = await relayer.submit(payload);
    await until(hash, 'Acknowledged');
    await relayer.kill();
    await relayer.start();
    expect(await relayer.stage(hash)).toBe('Acknowledged');
  },

  async 'when the node has handed out a block'({ relayer, node, until }, payload) {
    const { hash } = await relayer.submit(payload);
    await until(hash, 'Acknowledged');
    const killed = Promise.withResolvers<unknown>();
    node.onBlock = ({ seen }) => seen.includes(hash) && killed.resolve(relayer.kill());
    node.mine();
    await killed.promise;
    node.onBlock = () => undefined;
    await relayer.start();
    await until(hash, 'Confirmed');
  },

  async 'after a block was applied'({ relayer, node, until }, payload) {
    const { hash } = await relayer.submit(payload);
    await until(hash, 'Acknowledged');
    node.mine();
    await until(hash, 'Confirmed');
    await relayer.kill();
    await relayer.start();
    expect(await relayer.stage(hash)).toBe('Confirmed');
  },
};

async function killedAtTheNode({ relayer, scene }: Scene, payload: string, status: number): Promise<void> {
  const killed = Promise.withResolvers<void>();
  scene.atTheNode = async () => {
    scene.atTheNode = async () => 202;
    await relayer.kill();
    killed.resolve();
    return status;
  };
  expect(await relayer.submit(payload)).toMatchObject({ kind: 'received' });
  await killed.promise;
  await relayer.start();
}

const configs: Readonly<Record<string, () => object>> = {
  sqlite: () => ({ backend: 'sqlite', path: join(scratchFolder(), 'relayer.sqlite') }),
  redis: () => ({ backend: 'redis', url: inject('redisUrl'), pool: `relayer-${process.pid}`, watcher_lock_ttl: 1 }),
};

test.each(Object.entries(configs))('killed at each step, it loses nothing: %s', { timeout }, async (_, makeConfig) => {
  const scene = await open(makeConfig());
  const { relayer, node, finish } = scene;
  for (const [step, kill] of Object.entries(steps)) {
    await kill(scene, step);
    await finish(digest(step));
  }
  expect(await Promise.all(Object.keys(steps).map((step) => relayer.stage(digest(step))))).toEqual(
    Object.keys(steps).map(() => 'Finalized'),
  );
  expect(new Set(node.sent)).toEqual(new Set(Object.keys(steps).map(digest)));
  // The client that went on after its last event has read each event once.
  const [first = '', ...later] = relayer.read;
  expect(await relayer.eventsAfter(first, later.at(-1))).toEqual(later);
  expect(later.length).toBeGreaterThan(7 * Object.keys(steps).length);
  expect(await relayer.kill('SIGTERM')).toBe(0);
});

test('a request that is wrong is told so, and an unknown hash is Unknown', { timeout }, async () => {
  const { relayer } = await open({ backend: 'ephemeral' });
  expect(await relayer.stage('ab'.repeat(32))).toBe('Unknown');
  expect(await relayer.stage('no hash')).toBeUndefined();
});

test('it has at most 60 lines of at most 120 columns, and needs published packages only', () => {
  const lines = readFileSync(new URL('../src/main.ts', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines.length).toBeLessThanOrEqual(60);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
  const imported = lines.flatMap((line) => / from '([^']+)';$/.exec(line)?.[1] ?? []);
  expect(imported.filter((name) => name.startsWith('.') || name === 'mempool-testkit')).toEqual([]);
});
