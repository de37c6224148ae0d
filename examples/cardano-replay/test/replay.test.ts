import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { scratchFolder } from 'mempool-testkit/vitest';
import { describe, expect, inject, test } from 'vitest';
import { hasPrinted, heldReplay, replayed, runReplay, startReplay } from './replay-process.ts';
import { totalsOf, writeChain } from './synthetic-file.ts';

/** Its first block differs from run to run: pools on a Redis that others use as well never meet. */
const seed = randomInt(2 ** 31);
console.log(`the chains of this run have the seed ${seed}`);
const short = { seed, blocks: 40, maxTransactions: 4 };
const long = { seed, blocks: 400, maxTransactions: 4 };

const reportKeys = [
  'backend',
  'blocks',
  'transactions',
  'sha256',
  'finalized',
  'confirmed',
  'dropped',
  'pending',
  'rolledBack',
  'applied',
  'tip',
  'seconds',
];

function argumentsOf(backend: string): string[] {
  return backend === 'redis' ? ['--backend', 'redis', '--url', inject('redisUrl')] : ['--backend', backend];
}

describe.each(['ephemeral', 'sqlite', 'redis'])('a replay on %s', (backend) => {
  const args = argumentsOf(backend);

  test.each([0, 3])('ends with what the chain says, with a fork every %i blocks', async (forkEvery) => {
    const cwd = scratchFolder();
    const file = await writeChain(cwd, short);
    const result = await replayed({ cwd }, [file, ...args, '--fork-every', String(forkEvery)]);
    expect(Object.keys(result)).toEqual(reportKeys);
    expect(result).toMatchObject({ backend, applied: short.blocks, ...totalsOf(short, forkEvery) });
    expect(result.seconds).toBeGreaterThan(0);
  });
});

describe.each(['sqlite', 'redis'])('a second replay on %s', (backend) => {
  const args = [...argumentsOf(backend), '--fork-every', '5'];

  test('applies nothing and has the same totals', async () => {
    const cwd = scratchFolder();
    const file = await writeChain(cwd, { ...short, seed: seed ^ 1 });
    const first = await replayed({ cwd }, [file, ...args]);
    const second = await replayed({ cwd }, [file, ...args]);
    expect(second).toEqual({ ...first, applied: 0, seconds: second.seconds });
  });

  test('of a file that grew applies what is new', async () => {
    const cwd = scratchFolder();
    const options = { ...short, seed: seed ^ 2 };
    await replayed({ cwd }, [await writeChain(cwd, { ...options, blocks: 25 }), ...args]);
    const second = await replayed({ cwd }, [await writeChain(cwd, options), ...args]);
    expect(second).toMatchObject({ applied: options.blocks - 25, ...totalsOf(options, 5) });
  });

  test('goes on where one was killed, at whatever moment', async () => {
    const cwd = scratchFolder();
    const options = { ...long, seed: seed ^ 3 };
    const file = await writeChain(cwd, options);
    for (const moment of ['into ', 'Pending', 'undone', 'Finalized', ' blocks ·']) {
      const run = startReplay({ cwd }, [file, ...args]);
      await hasPrinted(run, moment);
      // Anywhere within the next blocks.
      await delay(randomInt(60));
      run.child.kill('SIGKILL');
      await run.ended;
    }
    expect(await replayed({ cwd }, [file, ...args])).toMatchObject(totalsOf(options, 5));
  });
});

test('without a file a made-up chain with forks goes through SQLite into a file under .data, and people see the stages', async () => {
  const cwd = scratchFolder();
  const { code, stdout, stderr } = await runReplay({ cwd }, []);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^dashboard[^\n]*: http:\/\/127\.0\.0\.1:\d+\n$/);
  for (const stage of ['Pending', 'Propagated', 'Acknowledged', 'Confirmed', 'Finalized', 'undone'])
    expect(stdout).toContain(stage);
  const [, pool] = stdout.match(/\.data\/(replay-[0-9a-f]{16}-fork-7)\.sqlite/) ?? [];
  const file = await readFile(`${cwd}/.data/${pool}.sqlite`);
  expect(file.subarray(0, 15).toString()).toBe('SQLite format 3');
});

test('on ephemeral every run starts anew', async () => {
  const cwd = scratchFolder();
  const file = await writeChain(cwd, short);
  for (const _ of [1, 2]) {
    const { applied } = await replayed({ cwd }, [file, '--backend', 'ephemeral']);
    expect(applied).toBe(short.blocks);
  }
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends a replay between two blocks, and the next one goes on', async (signal, expected) => {
  const cwd = scratchFolder();
  const file = await writeChain(cwd, long);
  const run = await heldReplay({ cwd }, [file, '--no-dashboard'], 'Confirmed');
  run.child.kill(signal);
  run.child.stdin?.end();
  const { code, stderr } = await run.ended;
  expect(code).toBe(expected);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  const rest = await replayed({ cwd }, [file]);
  expect(rest).toMatchObject(totalsOf(long, 0));
  expect(rest.applied).toBeGreaterThan(0);
  expect(rest.applied).toBeLessThan(long.blocks);
});
