// Installs the archives with npm in a folder outside the tree, and runs there, on each Node that is supported: a small program, the
// same as one bundle, the program of the first page and a ledger on each store; on each Node but that of the workspace the whole
// suite on every backend; and once an application built by Next.js.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { findRedis } from '../packages/testkit/src/found-redis.ts';
import { type Job, runInLanes } from './lanes.ts';
import { pack, root } from './pack.ts';

const supported = ['22', '24', '26'] as const;
const tooOld = '20';
/** The longest first, so that only short jobs are left at the end. */
const subjects = ['sqlite', 'redis', 'memory'] as const;
const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
const suite = 'node_modules/mempool-conformance/dist/cli.js';

interface Place {
  readonly folder: string;
  readonly redisUrl: string;
}

const nodeIn = ({ folder }: Place, version: string): string =>
  join(folder, `node-${version}`, 'node_modules', '.bin', 'node');

function install(cwd: string, title: string, wanted: readonly string[]): Job {
  return { title: `install ${title}`, command: 'npm', args: ['install', ...quiet, ...wanted], cwd, env: {} };
}

function installNode({ folder }: Place, version: string): Job {
  const own = join(folder, `node-${version}`);
  mkdirSync(own);
  writeFileSync(join(own, 'package.json'), '{ "private": true }\n');
  return install(own, `Node ${version}`, [`node@${version}`]);
}

function installProject({ folder }: Place, name: string, archives: readonly string[]): Job {
  const project = join(folder, name);
  cpSync(join(import.meta.dirname, name), project, { recursive: true });
  return install(project, `the archives in ${name}`, archives);
}

/** The program that the first page shows, as a file. */
function writeReadmeProgram(project: string): void {
  const [, program] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  if (program === undefined) throw new Error('README.md shows no program');
  writeFileSync(join(project, 'readme.mjs'), program);
}

/** As a user would: one file, with nothing beside it but the native module. CommonJS in it asks for `require`. */
async function bundle(project: string): Promise<void> {
  await build({
    entryPoints: [join(project, 'program.mjs')],
    outfile: join(project, 'bundle', 'program.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['better-sqlite3'],
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    logLevel: 'warning',
  });
}

/** A job in a folder of its own, in which the files of its pools lie, too. */
function job({ folder, redisUrl }: Place, title: string, command: string, args: readonly string[]): Job {
  const cwd = join(folder, 'jobs', title.replaceAll(/\W+/g, '-'));
  mkdirSync(cwd, { recursive: true });
  const env = { PACKED_POOLS: cwd, PACKED_REDIS_URL: redisUrl, MEMPOOL_CONFORMANCE_TIMEOUT_MS: '120000' };
  return { title, command, args, cwd, env };
}

/** `npm test` runs the suite on the Node of the workspace, so the archives run it on the others. */
function suiteJobs(place: Place, project: string): Job[] {
  const [own] = process.versions.node.split('.', 1);
  const others = supported.filter((version) => version !== own);
  return subjects.flatMap((subject) =>
    others.map((version) =>
      job(place, `the suite on ${subject}, Node ${version}`, nodeIn(place, version), [
        join(project, suite),
        join(project, `${subject}-subject.mjs`),
      ]),
    ),
  );
}

function programJobs(place: Place, project: string): Job[] {
  const programs = ['program.mjs', 'bundle/program.mjs', 'readme.mjs', 'command.mjs', 'ledger.mjs'];
  const on = (version: string, program: string): Job =>
    job(place, `${program}, Node ${version}`, nodeIn(place, version), [join(project, program)]);
  return [
    on(tooOld, 'old-node.mjs'),
    ...supported.flatMap((version) => programs.map((program) => on(version, program))),
  ];
}

async function checkAll(place: Place): Promise<void> {
  const archives = pack(join(place.folder, 'archives'));
  await runInLanes([
    installProject(place, 'packed-app', archives),
    installProject(place, 'packed', archives),
    ...[tooOld, ...supported].map((version) => installNode(place, version)),
  ]);
  const project = join(place.folder, 'packed');
  writeReadmeProgram(project);
  await bundle(project);
  const answer = join(place.folder, 'packed-app', 'answer.mjs');
  const app = job(place, 'an application of Next.js', nodeIn(place, '24'), [answer]);
  await runInLanes([...programJobs(place, project), app, ...suiteJobs(place, project)]);
}

const redis = await findRedis();
const folder = mkdtempSync(join(tmpdir(), 'mempool-packed-'));
try {
  await checkAll({ folder, redisUrl: redis.url });
} finally {
  rmSync(folder, { recursive: true });
  await redis[Symbol.asyncDispose]();
}
