import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { encodeSyntheticChain } from 'cardano-replay/synthetic-chain';
import {
  checkFailover,
  entriesOf,
  type FailoverRecord,
  holdersOf,
  killFault,
  parseFailoverRecord,
} from 'mempool-conformance/failover';
import { expect, inject, onTestFinished, test } from 'vitest';

const fileBlocks = 10;
/** Real processes that are killed and wait for leases to run out, perhaps on a machine with much else to do. */
const slowMs = 300_000;

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
}

function run(program: string, ...args: readonly string[]): Promise<Ended> {
  return execute([], program, ...args);
}

function execute(imports: readonly string[], program: string, ...args: readonly string[]): Promise<Ended> {
  const file = fileURLToPath(new URL(`../src/${program}.ts`, import.meta.url));
  return promisify(execFile)(process.execPath, ['--conditions=mempool-source', ...imports, file, ...args]);
}

async function recordFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mempool-multi-node-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'record.jsonl');
}

async function chunkFile(): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'mempool-multi-node-')), 'made-up.chunk');
  onTestFinished(() => rm(dirname(file), { recursive: true }));
  await writeFile(file, [...encodeSyntheticChain({ blocks: fileBlocks })]);
  return file;
}

async function recordIn(file: string): Promise<FailoverRecord> {
  return parseFailoverRecord(await readFile(file, 'utf8'));
}

test(
  'with its leader killed three times, stopped, resigned and cut off, a cluster ends as a single node',
  async () => {
    const file = await recordFile();
    const args = ['--kills', '3', '--ttl', '1000', '--seed', '11', '--record', file, '--json'];
    const { stdout } = await run('main', ...args, '--url', inject('redisUrl'));
    const result = JSON.parse(stdout);
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
    const [file, chunk] = [await recordFile(), await chunkFile()];
    const args = ['--kills', '1', '--ttl', '1000', '--nodes', '2', '--chunk', chunk, '--record', file, '--json'];
    const { stdout } = await run('main', ...args);
    const { blocks, transactions, finalized, dropped, violations } = JSON.parse(stdout);
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
    const file = await recordFile();
    // A leader whose lock is deleted has a third of the ttl to hear of it in, besides the time to its next renewal.
    const args = ['--faults', '8', '--seed', '2', '--ttl', '3000', '--record', file, '--json'];
    const { stdout } = await run('soak', ...args);
    expect(JSON.parse(stdout)).toMatchObject({ violations: [], faults: 8 });
  },
  slowMs,
);

const withoutFence = new URL('./planted/without-fence.ts', import.meta.url).href;

test.for([1, 2, 3])(
  'on a pool that has no fence, a run ends with violations of it (seed %i)',
  { timeout: slowMs, concurrent: true },
  async (seed) => {
    const args = ['--kills', '1', '--ttl', '1000', '--nodes', '2', '--seed', String(seed), '--json'];
    const file = await recordFile();
    const planted = ['--import', withoutFence];
    const error: unknown = await execute(planted, 'main', ...args, '--record', file, '--url', inject('redisUrl')).catch(
      (cause: unknown) => cause,
    );
    expect(error).toMatchObject({ code: 1, stderr: expect.stringContaining('violation: no block is accepted') });
    const broken = new Set(checkFailover(await recordIn(file)).map(({ rule }) => rule));
    expect([...broken]).toEqual(expect.arrayContaining(['fence', 'holder']));
  },
);

test.each([
  ['main', 'an unknown option', ['--kill', '3'], 2],
  ['main', 'no kills', ['--kills', '0'], 2],
  ['main', 'one node', ['--nodes', '1'], 2],
  ['main', 'a ttl that is no number', ['--ttl', '2s'], 2],
  ['main', 'a chunk file that is not there', ['--chunk', 'missing.chunk'], 1],
  ['main', 'an address where nothing listens', ['--url', 'redis://127.0.0.1:1'], 1],
  ['soak', 'an unknown option', ['--kills', '3'], 2],
  ['soak', 'no time', ['--minutes', '0'], 2],
])('%s: %s is told in a line, and the exit code is not 0', { timeout: slowMs }, async (program, _, args, code) => {
  const record = await recordFile();
  const error: unknown = await run(program, ...args, '--record', record).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(/^(multi-node|soak): .+\n$/m) });
});
