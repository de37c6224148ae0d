// `npm run bench`: what the backends cost, as ratios to limits that are measured in the same run.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { electionMeasures } from './election-measures.ts';
import { type Figure, type Measure, take } from './measure.ts';
import { mapGrowth, memoryMeasures } from './memory-measures.ts';
import { redisMeasures } from './redis-measures.ts';
import { startServer } from './redis-server.ts';
import { head, machine, row } from './report.ts';
import { flatness } from './shared-measures.ts';
import { exclusiveMeasure, sqliteMeasures } from './sqlite-measures.ts';
import { loadSubject } from './subject.ts';

const usage = `npm run bench -- [options]
  --only <ephemeral|sqlite|redis>  one backend
  --n <count>                      the larger size of the flatness rows (100,000)
  --exclusive                      also the SQLite file of one process at a million, some minutes more
  --subject <path>                 flatness of a backend of your own: the module that the conformance kit takes`;

function options() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      n: { type: 'string', default: '100000' },
      exclusive: { type: 'boolean', default: false },
      subject: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const n = Number(values.n);
  if (!Number.isSafeInteger(n) || n < 1_000) throw new Error('--n must be a whole number of at least 1,000');
  if (values.only !== undefined && !['ephemeral', 'sqlite', 'redis'].includes(values.only))
    throw new Error('--only must be ephemeral, sqlite or redis');
  return { ...values, n };
}

const root = join(import.meta.dirname, '../../..');
const folder = join(root, '.data', 'bench');
const subjectPaths = {
  ephemeral: join(root, 'packages/ephemeral/test/subject.ts'),
  sqlite: join(root, 'packages/sqlite/test/shared-subject.ts'),
  sqliteExclusive: join(root, 'packages/sqlite/test/exclusive-subject.ts'),
  redis: join(root, 'packages/redis/test/subject.ts'),
} as const;

async function report(measures: readonly Measure[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const measure of measures) {
    const figure = await take(measure);
    console.log(row(figure));
    figures.push(figure);
  }
  return figures;
}

async function ephemeralRows(n: number): Promise<Figure[]> {
  const path = subjectPaths.ephemeral;
  const subject = await loadSubject(path);
  return report([...memoryMeasures(subject, path), ...flatness(subject, n, () => mapGrowth(n))]);
}

async function sqliteRows(n: number, exclusive: boolean): Promise<Figure[]> {
  const subject = await loadSubject(subjectPaths.sqlite);
  const measures = [...sqliteMeasures(subject, folder), ...flatness(subject, n, () => 1)];
  measures.push(...electionMeasures(subject, subjectPaths.sqlite));
  if (exclusive) measures.push(exclusiveMeasure(subject, await loadSubject(subjectPaths.sqliteExclusive)));
  return report(measures);
}

async function redisRows(n: number): Promise<Figure[]> {
  const server = await startServer(folder);
  if (server === null) throw new Error('no redis-server on the PATH: install it, or leave Redis out with --only');
  try {
    process.env.MEMPOOL_TEST_REDIS_URL = server.url;
    const subject = await loadSubject(subjectPaths.redis);
    const measures = [...redisMeasures(subject, server.client), ...flatness(subject, n, () => 1)];
    return await report([...measures, ...electionMeasures(subject, subjectPaths.redis)]);
  } finally {
    await server.stop();
  }
}

async function main(): Promise<void> {
  const { only, n, exclusive, subject, help } = options();
  if (help) return console.log(usage);
  mkdirSync(folder, { recursive: true });
  // Subjects keep their files where the limits are measured: a temporary folder may be in memory.
  process.env.TMPDIR = folder;
  console.log(`${machine()}\n\n${head.join('\n')}`);
  const figures: Figure[] = [];
  const wanted = (backend: string): boolean => subject === undefined && (only ?? backend) === backend;
  if (subject !== undefined) figures.push(...(await report(flatness(await loadSubject(subject), n, () => 1))));
  if (wanted('ephemeral')) figures.push(...(await ephemeralRows(n)));
  if (wanted('sqlite')) figures.push(...(await sqliteRows(n, exclusive)));
  if (wanted('redis')) figures.push(...(await redisRows(n)));
  rmSync(folder, { recursive: true, force: true });
  const met = figures.filter((figure) => figure.met).length;
  console.log(`\n${met} of ${figures.length} goals met`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
