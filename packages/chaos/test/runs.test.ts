import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeSyntheticChain } from 'cardano-chains';
import {
  checkFailover,
  entriesOf,
  type FailoverRecord,
  holdersOf,
  killFault,
  parseFailoverRecord,
} from 'mempool-conformance/failover';
import { type Ended, runProgram } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, inject, onTestFinished, test } from 'vitest';
import { readDemoSettings, readSoakSettings } from '../src/command-line.ts';
import { UsageError } from '../src/program.ts';

const fileBlocks = 10;
/** Real processes that are killed and wait for leases to run out, perhaps on a machine with much else to do. */
const slowMs = 300_000;

const programs = { main: '../src/main.ts', soak: '../src/soak.ts' } as const;
type Program = keyof typeof programs;

const fileOf = (program: Program): string => fileURLToPath(new URL(programs[program], import.meta.url));

function run(program: Program, ...args: readonly string[]): Promise<Ended> {
  return runProgram([fileOf(program), ...args]);
}

/** The result of a run that broke no rule. */
async function resultOf(program: Program, ...args: readonly string[]) {
  const { code, stdout, stderr } = await run(program, ...args, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

/** `finished`: of tests that run at the same time each has its own. */
function recordFile(finished?: typeof onTestFinished): string {
  return join(scratchFolder(finished), 'record.jsonl');
}

async function chunkFile(): Promise<string> {
  const file = join(scratchFolder(), 'made-up.chunk');
  await writeFile(file, [...encodeSyntheticChain({ blocks: fileBlocks })]);
  return file;
}

async function recordIn(file: string): Promise<FailoverRecord> {
  return parseFailoverRecord(await readFile(file, 'utf8'));
}

test(
  'with its leader killed three times, stopped, resigned and cut off, a cluster ends as a single node',
  async () => {
    const file = recordFile();
    const args = ['--kills', '3', '--ttl', '1000', '--seed', '11', '--record', file];
    const result = await resultOf('main', ...args, '--url', inject('redisUrl'));
    expect(result).toMatchObject({ seed: 11, violations: [], faults: 6 });
    expect(result.leaderships).toBeGreaterThanOrEqual(7);
    const record = await recordIn(file);
    const faults = entriesOf(record, 'fault').map(({ fault }) => fault);
    expect(faults).toEqual([killFault, 'SIGSTOP', killFault, 'resign', killFault, 'cut off']);
    expect(new Set(entriesOf(record, 'acquired').map(({ node }) => node)).size).toBeGreaterThan(1);
    expect(result.fenced).toBeGreaterThanOrEqual(result.leaderships);
    expect(holdersOf(record).size).toBe(result.compared);
    // What was applied between two looks at two holders is compared with neither.
    expect(result.compared).toBeGreaterThan(0.8 * result.applied);
  },
  slowMs,
);

test(
  'a file of blocks is played with its forks, and empty blocks follow it',
  async () => {
    const [file, chunk] = [recordFile(), await chunkFile()];
    const args = ['--kills', '1', '--ttl', '1000', '--nodes', '2', '--chunk', chunk, '--record', file];
    const { blocks, transactions, finalized, dropped, violations } = await resultOf('main', ...args);
    expect({ violations, sum: finalized + dropped }).toEqual({ violations: [], sum: transactions });
    expect(blocks).toBeGreaterThan(fileBlocks);
    const actions = entriesOf(await recordIn(file), 'block').map(({ action }) => action);
    expect(actions).toContain('undone');
  },
  slowMs,
);

test(
  'faults by chance, several at once, to nodes and to Redis, leave the state of a single node',
  async () => {
    const file = recordFile();
    // A leader whose lock is deleted has a third of the ttl to hear of it in, besides the time to its next renewal.
    const args = ['--faults', '8', '--seed', '2', '--ttl', '3000', '--record', file];
    expect(await resultOf('soak', ...args)).toMatchObject({ violations: [], faults: 8 });
  },
  slowMs,
);

const withoutFence = new URL('./planted/without-fence.ts', import.meta.url).href;

test.for([1, 2, 3])(
  'on a pool that has no fence, a run ends with violations of it (seed %i)',
  { timeout: slowMs, concurrent: true },
  async (seed, test) => {
    const args = ['--kills', '1', '--ttl', '1000', '--nodes', '2', '--seed', String(seed), '--json'];
    const file = recordFile(test.onTestFinished);
    const where = ['--record', file, '--url', inject('redisUrl')];
    const ended = await runProgram(['--import', withoutFence, fileOf('main'), ...args, ...where]);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('violation: no block is accepted') });
    const broken = new Set(checkFailover(await recordIn(file)).map(({ rule }) => rule));
    expect([...broken]).toEqual(expect.arrayContaining(['fence', 'holder']));
  },
);

test.each<[program: Program, what: string, args: string[], code: number]>([
  ['main', 'an unknown option', ['--kill', '3'], 2],
  ['main', 'no kills', ['--kills', '0'], 2],
  ['main', 'one node', ['--nodes', '1'], 2],
  ['main', 'a ttl that is no number', ['--ttl', '2s'], 2],
  ['main', 'a chunk file that is not there', ['--chunk', 'missing.chunk'], 1],
  ['main', 'an address where nothing listens', ['--url', 'redis://127.0.0.1:1'], 1],
  ['soak', 'an unknown option', ['--kills', '3'], 2],
  ['soak', 'no time', ['--minutes', '0'], 2],
])('%s: %s is told in a line, and the exit code is not 0', { timeout: slowMs }, async (program, _, args, code) => {
  expect(await run(program, ...args, '--record', recordFile())).toMatchObject({
    code,
    stdout: '',
    stderr: expect.stringMatching(/^(failover|soak): .+\n$/m),
  });
});

test.each<[(args: readonly string[]) => unknown, string[], string]>([
  [readDemoSettings, ['--kills', '-1'], "--kills must be a whole number of 1–1000, not '-1'"],
  [readDemoSettings, ['--kills', '--json'], '--kills needs a value; --help lists the options'],
  [readDemoSettings, ['--kills'], '--kills needs a value; --help lists the options'],
  [readDemoSettings, ['--chunk', ''], '--chunk needs a value'],
  [readDemoSettings, ['--url', 'here'], '--url must be the address of a Redis, such as redis://127.0.0.1:6379'],
  [readSoakSettings, ['--minutes', '-x'], "--minutes must be a whole number of 1–600, not '-x'"],
])('%o refuses %j in one line', (read, args, message) => {
  expect(() => read(args)).toThrow(new UsageError(message));
});

test('a value that begins with a dash is one', () => {
  expect(readDemoSettings(['--record', '-odd', '--json'])).toMatchObject({ record: '-odd', json: true });
});

test('a record in a folder that is not there is told before anything is started, and no folder is made', async () => {
  const folder = dirname(recordFile());
  for (const program of ['main', 'soak'] as const)
    for (const [path, reason] of [
      [join(folder, 'missing', 'record.jsonl'), `there is no folder ${join(folder, 'missing')}`],
      [folder, 'it cannot be written (EISDIR)'],
    ] as const) {
      const name = program === 'main' ? 'failover' : program;
      expect(await run(program, '--record', path)).toMatchObject({
        code: 1,
        stderr: `${name}: --record ${path}: ${reason}\n`,
      });
    }
  expect(await readdir(folder)).toEqual([]);
});

test('Ctrl-C, which reaches every process of the terminal, ends a run with 130 and one line', {
  timeout: slowMs,
}, async () => {
  const args = ['--kills', '100', '--ttl', '1000', '--record', recordFile(), '--url', inject('redisUrl')];
  const child = spawn(process.execPath, ['--conditions=mempool-source', fileOf('main'), ...args], {
    detached: true,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  const leads = Promise.withResolvers<void>();
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.includes(' leads, term')) leads.resolve();
  });
  const ended = once(child, 'close');
  await Promise.race([leads.promise, ended]);
  process.kill(-(child.pid as number), 'SIGINT');
  expect(await ended).toEqual([130, null]);
  expect(said).toMatch(/\nfailover: stopped by SIGINT\n$/);
});
