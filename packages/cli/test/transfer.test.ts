import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startProgram } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, inject, test } from 'vitest';
import { fillPool } from './fill-pool.ts';
import { movePool } from './move-pool.ts';
import { jsonLines, run } from './run-in-process.ts';

test.for(['fifo', 'priority'] as const)(
  'a %s pool moves from SQLite to Redis and back, and is the same',
  async (ordering) => {
    const { dumps } = await movePool({ folder: scratchFolder(), redisUrl: inject('redisUrl'), ordering, count: 5_000 });
    const [first, second, third] = dumps.map(String);
    expect(first?.split('\n').length).toBeGreaterThan(5_000);
    for (const stage of ['Pending', 'Propagated', 'Acknowledged', 'Confirmed', 'Finalized', 'Dropped'])
      expect(first).toContain(`"stage":"${stage}"`);
    expect(second === first).toBe(true);
    expect(third === first).toBe(true);
  },
);

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

async function exported(): Promise<{
  readonly folder: string;
  readonly lines: readonly string[];
  readonly file: string;
}> {
  const folder = scratchFolder();
  const config = join(folder, 'pool.json');
  writeFileSync(config, JSON.stringify({ backend: 'sqlite', path: join(folder, 'pool.sqlite') }));
  await fillPool(config, 1_200);
  const file = join(folder, 'pool.ndjson');
  expect((await run(['-c', config, 'export', file])).code).toBe(0);
  return { folder, file, lines: readFileSync(file, 'utf8').trimEnd().split('\n') };
}

test('a dump that was cut off or altered is refused with the place, and leaves no pool that is half full', async () => {
  const { folder, lines, file } = await exported();
  const middle = lines.findIndex((line) => line.includes('"payload":'));
  const altered = (i: number, change: (line: string) => string): string =>
    [...lines.slice(0, i), change(lines[i] ?? ''), ...lines.slice(i + 1)].join('\n');
  const faults: readonly (readonly [name: string, text: string, place: RegExp])[] = [
    ['cut within a line', readFileSync(file, 'utf8').slice(0, 20_000), /line \d+/],
    ['cut after a line', `${lines.slice(0, 700).join('\n')}\n`, /line 700/],
    ['cut before the last checksum', lines.slice(0, -1).join('\n'), new RegExp(`line ${lines.length - 1}`)],
    [
      'a payload altered',
      altered(middle, (line) => line.replace(/"payload":"../, '"payload":"AA')),
      /line 1 and line 1001/,
    ],
    ['a line twice', altered(middle, (line) => `${line}\n${line}`), /line/],
    ['a line gone', altered(middle, () => lines[middle + 1] ?? ''), /line/],
    ['no JSON', altered(600, () => '{"kind":'), /line 601/],
    ['another file', 'PK\u0003\u0004\n', /line 1/],
    ['an empty file', '', /line/],
  ];
  for (const [i, [name, text, place]] of faults.entries()) {
    const path = join(folder, `${i}.sqlite`);
    const config = join(folder, `${i}.json`);
    writeFileSync(config, JSON.stringify({ backend: 'sqlite', path }));
    const refused = await run(['-c', config, 'import'], { input: text });
    expect([name, refused.code, refused.out]).toEqual([name, 1, '']);
    expect(refused.err, name).toMatch(place);
    if (existsSync(path)) expect((await run(['-c', config, 'import', file])).err, `after: ${name}`).toBe('');
  }
});

test('an import that is done is told as done, also if the pool cannot be looked at in time', async () => {
  const folder = scratchFolder();
  const [source, target] = ['source', 'target'].map((name) => join(folder, `${name}.json`)) as [string, string];
  const pool = (name: string, more: object) => ({
    ...{ backend: 'sqlite', path: join(folder, `${name}.sqlite`), ordering: 'priority' },
    ...more,
  });
  writeFileSync(source, JSON.stringify(pool('source', {})));
  await fillPool(source, 1_000);
  const file = join(folder, 'dump');
  await run(['-c', source, 'export', file]);
  // Reading so many transactions into memory takes longer.
  writeFileSync(target, JSON.stringify(pool('target', { timeoutMs: 1 })));
  const imported = await run(['-c', target, '--json', 'import', file]);
  expect([imported.code, imported.err]).toEqual([0, '']);
  expect(jsonLines(imported.out)).toMatchObject([{ kind: 'restored', usage: null }]);
  expect((await run(['-c', target, 'import', file])).code).toBe(4);
});

test('import fills a new pool only, of the same ordering, and export never writes over a file', async () => {
  const { folder, file } = await exported();
  const config = join(folder, 'pool.json');
  const again = await run(['-c', config, 'import', file]);
  expect([again.code, again.err.includes('not new')]).toEqual([4, true]);
  expect((await run(['-c', config, 'export', file])).code).toBe(4);
  const priority = join(folder, 'priority.json');
  writeFileSync(
    priority,
    JSON.stringify({ backend: 'sqlite', path: join(folder, 'new.sqlite'), ordering: 'priority' }),
  );
  expect((await run(['-c', priority, 'import', file])).code).toBe(2);
  expect((await run(['-c', priority, 'import', join(folder, 'none')])).code).toBe(3);
  expect(existsSync(join(folder, 'new.sqlite'))).toBe(false);
});

test('a backup of a pool in use is a pool of its own, and is never written over a file', async () => {
  const { folder } = await exported();
  const config = join(folder, 'pool.json');
  const copy = join(folder, 'copy.sqlite');
  const written = await run(['-c', config, '--json', 'backup', copy]);
  expect([written.code, jsonLines(written.out)]).toEqual([0, [expect.objectContaining({ file: copy, checked: true })]]);
  const copied = join(folder, 'copy.json');
  writeFileSync(copied, JSON.stringify({ backend: 'sqlite', path: copy }));
  expect((await run(['-c', copied, '--json', 'usage'])).out).toBe((await run(['-c', config, '--json', 'usage'])).out);
  expect((await run(['-c', config, 'backup', copy])).code).toBe(2);
});

test('runs that write to one name at once write over nothing, neither a file nor each other', async () => {
  const { folder, lines } = await exported();
  const config = join(folder, 'pool.json');
  for (const command of ['export', 'backup']) {
    const file = join(folder, `${command}ed`);
    writeFileSync(`${file}.partial`, 'of another run');
    const runs = await Promise.all([1, 2, 3].map(() => run(['-c', config, command, file])));
    expect([command, runs.filter(({ code }) => code === 0).length]).toEqual([command, 1]);
    expect(runs.map(({ err }) => err.includes('exists')).filter(Boolean)).toHaveLength(2);
    expect(readFileSync(`${file}.partial`, 'utf8')).toBe('of another run');
    expect(readdirSync(folder).filter((name) => name.startsWith(`${command}ed`))).toHaveLength(2);
  }
  expect(readFileSync(join(folder, 'exported'), 'utf8')).toBe(`${lines.join('\n')}\n`);
  const { code } = await run(['-c', config, '--json', 'backup', join(folder, 'none', 'copy')]);
  expect(code).toBe(2);
});

test('an export that is killed leaves nothing under the name of its file', async () => {
  const { folder, lines } = await exported();
  const file = join(folder, 'again.ndjson');
  const exporting = startProgram([main, '-c', join(folder, 'pool.json'), 'export', file]);
  await expect.poll(() => readdirSync(folder).some((name) => name.startsWith('again.ndjson.'))).toBe(true);
  exporting.child.kill('SIGKILL');
  await exporting.ended;
  expect(existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').length : lines.length).toBe(lines.length);
});

test('an export that cannot be written names its file in one line, and leaves nothing of it', async () => {
  const { folder } = await exported();
  const config = join(folder, 'pool.json');
  const file = join(folder, 'large');
  // 64 KiB: a limit of the process stands for a disk without room.
  const command = 'ulimit -f 64; "$0" --conditions=mempool-source "$@"; echo $?';
  const args = ['-c', command, process.execPath, main, '-c', config, 'export', file];
  const { stdout, stderr } = await promisify(execFile)('bash', args);
  expect([stdout, stderr]).toEqual(['1\n', `mempool: cannot write ${file}: EFBIG\n`]);
  for (const command of ['export', 'backup'])
    expect([command, (await run(['-c', config, command, ''])).code]).toEqual([command, command === 'export' ? 1 : 2]);
  expect(readdirSync(folder).filter((name) => name.startsWith('large'))).toEqual([]);
});
