import { Validator as DocumentValidator } from '@seriousme/openapi-schema-validator';
import { Redis } from 'ioredis';
import { servedEpochs } from 'mempool-sequencer/server';
import { createServer } from 'mempool-server';
import { ownServer, scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { bearer, ownPool, served, tokenOf } from '../../../server/test/http/served.ts';
import { startProcess } from '../../../server/test/http/server-process.ts';
import { boardOf, type Cast, cast, recounted, runEpoch, watched } from './scene.ts';

type Json = Record<string, unknown>;
type Ask = (path: string) => Promise<{ readonly status: number; readonly body: Json }>;

/** Asks below `/api/v1/epochs` of something that fetches. */
const asking =
  (url: string, fetching: (request: Request) => Promise<Response>): Ask =>
  async (path) => {
    const response = await fetching(new Request(`${url}/api/v1/epochs${path}`));
    return { status: response.status, body: (await response.json()) as Json };
  };

const lists = [
  ...['/timeline', '/active', '/gaps', '/batches/finalized', '/timeline/recent', '/queues/status'],
  ...['/stats/hourly', '/stats/daily', '/1/submissions'],
];
const paths = ['/dashboard/summary', '/current', '/workers', '/1/status', ...lists];

/** All items of a list, page by page. */
async function walked(ask: Ask, path: string, limit: number): Promise<Json[]> {
  const items: Json[] = [];
  for (let after = ''; ; ) {
    const { status, body } = await ask(`${path}?limit=${limit}${after}`);
    expect(status).toBe(200);
    const page = body.items as Json[];
    expect(page.length).toBeLessThanOrEqual(limit);
    items.push(...page);
    if (body.next === null) return items;
    after = `&after=${encodeURIComponent(body.next as string)}`;
  }
}

async function servedScene(): Promise<{ scene: Cast; ask: Ask }> {
  const scene = await cast('ephemeral');
  for (const each of scene.validators) await each.start();
  for (const epoch of [1, 2, 3]) await runEpoch(scene, epoch);
  const board = await boardOf(scene);
  const server = await createServer(
    { pool: await ownPool() },
    { extensions: [async (parts) => servedEpochs(board, parts)] },
  );
  return { scene, ask: asking('http://127.0.0.1', (request) => server.fetch(request)) };
}

test('every path answers, with the time when it was read, and lists come whole in pages of every size', async () => {
  const { scene, ask } = await servedScene();
  const since = Date.now() - 60_000;
  for (const path of paths) {
    const { status, body } = await ask(path);
    expect([path, status]).toEqual([path, 200]);
    expect(body.generatedAt).toBeGreaterThan(since);
  }
  for (const path of lists) {
    const all = await walked(ask, path, 1_000);
    for (const limit of [1, 2, 7]) expect(await walked(ask, path, limit)).toEqual(all);
  }
  const { body: summary } = await ask('/dashboard/summary');
  expect(summary).toMatchObject({ protocol: scene.protocol, market: 'market', active: 0, openGaps: 0 });
  expect(summary.validators).toMatchObject([{ participation: 1, inclusion: 1 }, {}, {}]);
  expect(await walked(ask, '/timeline', 100)).toMatchObject([{ epoch: 3 }, { epoch: 2 }, { epoch: 1 }]);
  const [batch] = await walked(ask, '/batches/finalized', 100);
  const agreement = await watched(scene).first.agreement(3);
  expect(batch).toMatchObject({ epoch: 3, root: agreement?.root, projects: 45, validators: agreement?.validators });
  expect(await walked(ask, '/stats/hourly', 100)).toHaveLength(24);
  expect(await walked(ask, '/stats/daily', 100)).toHaveLength(7);

  const counts = await recounted(scene, 1);
  const submissions = await walked(ask, '/1/submissions', 50);
  expect(submissions).toHaveLength(counts.received);
  const dropped = submissions.filter(({ stage }) => stage === 'Dropped');
  expect(dropped).toHaveLength(counts.received - counts.counted);
  expect(submissions.find(({ stage }) => stage === 'Finalized')).toMatchObject({
    ...{ slot: expect.any(Number), project: expect.any(String), cid: expect.any(String), reason: null },
    ...{ peer: expect.stringMatching(/^peer-/), at: expect.any(Number) },
  });
  const { body: status } = await ask('/1/status');
  const { pool, submissions: counted } = status as Record<string, Json>;
  expect(counted).toEqual(counts);
  expect(pool).toMatchObject({ pending: 0, propagated: 0, acknowledged: 0, logged: counts.received });
});

test('what is wrong or unknown is refused as a problem', async () => {
  const { ask } = await servedScene();
  const refusals: readonly (readonly [string, number, string?])[] = [
    ['/99/status', 404],
    ['/99/submissions', 404],
    ['/nothing', 404],
    ['/one/status', 400, 'epoch'],
    ['/-1/status', 400, 'epoch'],
    ['/99999999999999999999/status', 400, 'epoch'],
    ['/timeline?limit=0', 400, 'limit'],
    ['/timeline?limit=1001', 400, 'limit'],
    ['/timeline?after=x', 400, 'after'],
    ['/1/submissions?after=1', 400, 'after'],
    ['/1/submissions?after=final:x', 400, 'after'],
    ['/gaps?state=all', 400, 'state'],
    ['/current?limit=1', 400, 'limit'],
    ['/active?unknown=1', 400, 'unknown'],
  ];
  for (const [path, status, field] of refusals) {
    const answer = await ask(path);
    expect([path, answer.status]).toEqual([path, status]);
    expect(answer.body).toMatchObject({ status, ...(field === undefined ? {} : { field }) });
  }
});

test('the OpenAPI document has the paths, which need the scope read, only where epochs are watched', async () => {
  const scene = await cast('ephemeral', {}, ['v1']);
  const pool = await ownPool();
  const epochs = await boardOf(scene);
  const tokens = [tokenOf('reader', ['read']), tokenOf('writer', ['submit'])];
  const server = await createServer({ pool }, { tokens, extensions: [async (parts) => servedEpochs(epochs, parts)] });
  const document = server.openapi() as Record<string, object>;
  expect(await new DocumentValidator().validate(document)).toMatchObject({ valid: true });
  const found = Object.keys(document.paths ?? {}).filter((path) => path.includes('/epochs'));
  expect(found.toSorted()).toEqual(paths.map((path) => `/api/v1/epochs${path.replace('/1/', '/{epoch}/')}`).toSorted());
  const statusOf = async (path: string, token: string): Promise<number> => {
    const headers = bearer(token);
    return (await server.fetch(new Request(`http://127.0.0.1/api/v1/epochs${path}`, { headers }))).status;
  };
  for (const path of paths.filter((each) => !each.startsWith('/1/'))) {
    expect(await statusOf(path, 'reader')).toBe(200);
    expect(await statusOf(path, 'writer')).toBe(403);
    expect(await statusOf(path, 'nobody')).toBe(401);
  }
  const without = await createServer({ pool });
  expect((await without.fetch(new Request('http://127.0.0.1/api/v1/epochs/active'))).status).toBe(404);
});

/** The section of a server that watches the first validator. */
function sectionOf({ protocol, place }: Cast): object {
  const where = place.backend === 'redis' ? { url: place.at } : { folder: place.at };
  return { protocol, market: 'market', refreshMs: 20, ...where };
}

test.for(['sqlite', 'redis'])(
  'servers that are killed while epochs run double nothing and lose nothing on %s',
  { timeout: 120_000 },
  async (backend) => {
    const scene = await cast(backend);
    for (const each of scene.validators) await each.start();
    const path = scratchFolder();
    const start = async (i: number) => {
      const mempool = { backend: 'sqlite', path: `${path}/${i}.sqlite` };
      const section = sectionOf(scene);
      const server = await startProcess('sections-program.ts', JSON.stringify({ mempool, sequencer: section }));
      onTestFinished(() => void server.child.kill('SIGKILL'));
      return server;
    };
    const steady = await start(0);
    let victim = await start(1);
    for (const epoch of [1, 2, 3]) {
      // The clock of the servers and of the pools, which a busy machine may not have kept up with.
      scene.clock.ms = Date.now();
      const running = runEpoch(scene, epoch);
      victim.child.kill('SIGKILL');
      await victim.ended;
      victim = await start(epoch + 1);
      await running;
    }
    for (const { url } of [steady, victim]) {
      const ask = asking(url, fetch);
      for (const epoch of [1, 2, 3]) {
        const counts = await recounted(scene, epoch);
        await expect.poll(async () => (await ask(`/${epoch}/status`)).body.submissions).toEqual(counts);
      }
      const { body } = await ask('/dashboard/summary');
      expect(body).toMatchObject({
        lastDay: { epochs: 3, complete: 3 },
        validators: [{ batches: 3, included: 3 }, {}, {}],
      });
    }
    for (const { child, ended } of [steady, victim]) {
      child.kill('SIGTERM');
      expect((await ended).code).toBe(0);
    }
  },
);

test('no request walks over the keys of Redis, and the keys do not grow with what is told', async () => {
  const { url } = await ownServer();
  const operator = new Redis(url);
  const server = await served(undefined, {}, {}, {}, { sequencer: { protocol: 'p', market: 'm', url } });
  const ask = asking(server.url, fetch);
  const before = await operator.dbsize();
  for (const path of paths) await ask(path);
  const stats = await operator.info('commandstats');
  expect(stats).toMatch(/cmdstat_(evalsha|eval|fcall)/);
  expect(stats).not.toMatch(/cmdstat_(keys|scan|hscan|zscan|sscan|randomkey)/);
  expect(await operator.dbsize()).toBe(before);
  operator.disconnect();
});
