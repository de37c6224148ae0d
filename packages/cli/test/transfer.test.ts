import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openNode } from 'mempool-node';
import { startProgram } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, inject, test } from 'vitest';
import { fillPool } from './fill-pool.ts';
import { contentOf, movePool } from './move-pool.ts';
import { jsonLines, run } from './run-in-process.ts';

test.for(['fifo', 'priority'] as const)(
  'a %s pool moves from SQLite to Redis and back, and is the same',
  async (ordering) => {
    const { files } = await movePool({ folder: scratchFolder(), redisUrl: inject('redisUrl'), ordering, count: 5_000 });
    const [first, second, third] = files.map(contentOf);
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

test('a file that was cut off or edited is refused with its line, and the whole file completes the import', async () => {
  const { folder, lines, file } = await exported();
  const middle = lines.findIndex((line) => line.includes('"payload":')) + 10;
  const edited = (i: number, change: (line: string) => string): string =>
    [...lines.slice(0, i), change(lines[i] ?? ''), ...lines.slice(i + 1)].join('\n');
  const faults: readonly (readonly [name: string, text: string, line: number])[] = [
    [
      'cut within a line',
      edited(600, (line) => line.slice(0, 60))
        .split('\n')
        .slice(0, 601)
        .join('\n'),
      601,
    ],
    ['cut after a line', `${lines.slice(0, 700).join('\n')}\n`, 701],
    ['cut before the end', lines.slice(0, -1).join('\n'), lines.length],
    ['a payload edited', edited(middle, (line) => line.replace(/"payload":"../, '"payload":"AA')), middle + 1],
    ['a line twice', edited(middle, (line) => `${line}\n${line}`), middle + 2],
    ['a line gone', edited(middle, () => lines[middle + 1] ?? ''), middle + 1],
    ['no JSON', edited(600, () => '{"kind":'), 601],
    ['another file', 'PK\u0003\u0004\n', 1],
    ['an empty file', '', 1],
  ];
  for (const [i, [name, text, line]] of faults.entries()) {
    const path = join(folder, `${i}.sqlite`);
    const config = join(folder, `${i}.json`);
    writeFileSync(config, JSON.stringify({ backend: 'sqlite', path }));
    const refused = await run(['-c', config, 'import'], { input: text });
    expect([name, refused.code, refused.out]).toEqual([name, 1, '']);
    expect(refused.err, name).toMatch(new RegExp(`line ${line}\\b`));
    expect([name, existsSync(path)]).toEqual([name, line > 1]);
    expect((await run(['-c', config, 'import', file])).err, `after: ${name}`).toBe('');
  }
});

/** How many lines of its file a pool on SQLite has imported. */
function importedLines(path: string): number {
  if (!existsSync(path)) return 0;
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return Number((database.prepare('SELECT lines FROM import').get() as { lines: number } | undefined)?.lines ?? 0);
  } catch {
    return 0;
  } finally {
    database.close();
  }
}

test.for(['fifo', 'priority'] as const)(
  'an import of a %s pool that is killed is refused another file, and completed by the same one',
  async (ordering) => {
    const folder = scratchFolder();
    const [source, target] = ['source', 'target'].map((name) => join(folder, `${name}.json`)) as [string, string];
    const path = join(folder, 'target.sqlite');
    writeFileSync(source, JSON.stringify({ backend: 'sqlite', path: join(folder, 'source.sqlite'), ordering }));
    writeFileSync(target, JSON.stringify({ backend: 'sqlite', path, ordering }));
    await fillPool(source, 8_000);
    const [file, other, again] = ['file', 'other', 'again'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const written of [file, other]) expect((await run(['-c', source, 'export', written])).code).toBe(0);
    for (let kills = 0; kills < 2; kills++) {
      const before = importedLines(path);
      const importing = startProgram([main, '-c', target, 'import', file]);
      await expect.poll(() => importedLines(path), { interval: 1, timeout: 60_000 }).toBeGreaterThan(before + 500);
      importing.child.kill('SIGKILL');
      await importing.ended;
      expect((await run(['-c', target, 'usage'])).code).toBe(75);
      const refused = await run(['-c', target, 'import', other]);
      expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('another file')]);
    }
    expect((await run(['-c', target, 'import', file])).code).toBe(0);
    expect((await run(['-c', target, 'export', again])).code).toBe(0);
    expect(contentOf(again) === contentOf(file)).toBe(true);
  },
);

test('an import that meets a full disk is completed when there is room', async () => {
  const { folder, file } = await exported();
  const config = join(folder, 'small.json');
  writeFileSync(config, JSON.stringify({ backend: 'sqlite', path: join(folder, 'small.sqlite') }));
  // 256 KiB: a limit of the process stands for a disk without room.
  const command = 'ulimit -f 256; "$0" --conditions=mempool-source "$@"; echo $?';
  const args = ['-c', command, process.execPath, main, '-c', config, 'import', file];
  const { stdout } = await promisify(execFile)('bash', args);
  expect(stdout).toBe('75\n');
  expect((await run(['-c', config, 'import', file])).code).toBe(0);
});

test('an export beside writers of a pool on Redis has an exit code of its own', async () => {
  const folder = scratchFolder();
  const config = join(folder, 'redis.json');
  const keyPrefix = `cli-${process.pid}-changed:`;
  writeFileSync(config, JSON.stringify({ backend: 'redis', url: inject('redisUrl'), keyPrefix }));
  await fillPool(config, 5_000);
  const file = join(folder, 'file');
  const { pool: writer } = await openNode(config, { sweepEveryMs: Number.POSITIVE_INFINITY });
  let isOver = false;
  const exporting = run(['-c', config, '--json', 'export', file]).finally(() => {
    isOver = true;
  });
  for (let i = 0; !isOver; i++)
    await writer.receive([{ hash: `ff${i.toString(16).padStart(62, '0')}`, payload: new Uint8Array(1) }]);
  const { code, out } = await exporting;
  await writer.close();
  expect([code, jsonLines(out)]).toEqual([5, [expect.objectContaining({ changed: true })]]);
});

test('import fills an empty pool only, of the same ordering, and export never writes over a file', async () => {
  const { folder, file } = await exported();
  const config = join(folder, 'pool.json');
  const again = await run(['-c', config, 'import', file]);
  expect([again.code, again.err.includes('not empty')]).toEqual([4, true]);
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
  const { folder, file: whole } = await exported();
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
  expect(contentOf(join(folder, 'exported')) === contentOf(whole)).toBe(true);
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
  const folder = scratchFolder();
  const config = join(folder, 'pool.json');
  const keyPrefix = `cli-${process.pid}-large:`;
  writeFileSync(config, JSON.stringify({ backend: 'redis', url: inject('redisUrl'), keyPrefix }));
  await fillPool(config, 1_200);
  const file = join(folder, 'large');
  // 64 KiB: a limit of the process stands for a disk without room.
  const command = 'ulimit -f 64; "$0" --conditions=mempool-source "$@"; echo $?';
  const args = ['-c', command, process.execPath, main, '-c', config, 'export', file];
  const { stdout, stderr } = await promisify(execFile)('bash', args);
  expect([stdout, stderr]).toEqual(['1\n', `mempool: cannot write ${file}: EFBIG\n`]);
  expect((await run(['-c', config, 'export', ''])).code).toBe(1);
  expect(readdirSync(folder).filter((name) => name.startsWith('large'))).toEqual([]);
});
