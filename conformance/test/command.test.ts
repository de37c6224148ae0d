import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { allCases, ledgerCases, type Report } from 'mempool-conformance';
import { type Ended, runProgram } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { fixture } from './program.ts';

const program = fileURLToPath(new URL('../src/cli.ts', import.meta.url));

function command(...args: string[]): Promise<Ended> {
  return runProgram([program, ...args]);
}

/** For those that run every case: a loaded machine is slow, not wrong. */
const timeout = 240_000;

test('the command runs every case, writes both reports and ends with 0 when all passed', { timeout }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mempool-conformance-'));
  const [json, markdown] = [join(folder, 'report.json'), join(folder, 'report.md')];
  const { code, stdout } = await command(fixture('subject'), '--seed', '5', '--json', json, '--markdown', markdown);
  const report: Report = JSON.parse(await readFile(json, 'utf8'));
  const written = await readFile(markdown, 'utf8');
  await rm(folder, { recursive: true });
  expect(stdout).toMatch(/^passed {7}L1\/seq-told/m);
  expect(code).toBe(0);
  expect(report).toMatchObject({ subject: 'mine', result: 'passed', seed: 5 });
  expect(report.cases).toHaveLength(allCases.length);
  expect(written).toMatch(/^# Conformance of mine: passed$/m);
  expect(written).toMatch(/^\| \*\*L2\*\* /m);
});

test('a backend that breaks a rule ends with 1, and the case names the rule', async () => {
  const { code, stdout } = await command(fixture('forgetful'), '--only', 'L4');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^failed {7}L4\//m);
});

test('one rule or one case on one ordering may be chosen; the result is then partial', async () => {
  const { code, stdout } = await command(fixture('subject'), '--only', 'L1/seq-told@priority');
  expect(code).toBe(0);
  expect(stdout).toContain('mine: partial (1 passed, 0 failed');
});

test('the id of a case of every pool chooses it on pools of both orderings', async () => {
  const { code, stdout } = await command(fixture('subject'), '--only', 'L1/seq-told');
  expect(code).toBe(0);
  expect(stdout.match(/^passed +L1\S+/gm)).toEqual(['passed       L1/seq-told', 'passed       L1/seq-told@priority']);
});

test.each([
  ['no subject', []],
  ['two subjects', [fixture('subject'), fixture('subject')]],
  ['an unknown option', [fixture('subject'), '--fast']],
  ['a seed that is no number', [fixture('subject'), '--seed', 'x']],
  ['a rule that does not exist', [fixture('subject'), '--only', 'L99']],
  ['a second rule that does not exist', [fixture('subject'), '--only', 'L1', '--only', 'L99']],
  ['a profile that does not exist', [fixture('subject'), '--profile', 'fast']],
  ['no number of cases at a time', [fixture('subject'), '--concurrency', '0']],
  ['a time that is no number', [fixture('subject'), '--timeout', '1s']],
  ['a fault that does not exist', [fixture('subject'), '--broken', 'all']],
  ['a file that does not exist', ['missing.js']],
  ['a file without a subject', [fixture('no-subject')]],
])('%s is told in one line and ends with 2', async (_, args) => {
  const { code, stdout, stderr } = await command(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test.each([
  [['--concurrency', '-1'], '--concurrency needs a value;'],
  [['--only'], '--only needs a value;'],
  [['--fast'], "Unknown option '--fast';"],
])('%s is told without advice on positional arguments', async (args, told) => {
  const { code, stderr } = await command(fixture('subject'), ...args);
  expect({ code, told: stderr.startsWith(`mempool-conformance: ${told} usage:`) }).toEqual({ code: 2, told: true });
});

test('several rules and cases add up, and a profile narrows them', async () => {
  const only = ['--only', 'L1/seq-told', '--only', 'L13', '--only', 'P18/full'];
  const counted = async (...more: string[]) => (await command(fixture('subject'), ...only, ...more)).stdout;
  // Both of them run on pools of both orderings.
  const ofRule = allCases.filter(({ rule }) => rule === 'L13').length;
  expect(await counted()).toContain(`mine: partial (${ofRule + 3} passed, 0 failed`);
  const ranked = await counted('--profile', 'priority', '--concurrency', '4');
  expect(ranked).toContain(`mine: partial (${ofRule / 2 + 2} passed, 0 failed`);
});

test('cases are listed, with and without a subject, and none runs', async () => {
  const all = await command('--list');
  expect(all.stdout.trimEnd().split('\n')).toHaveLength(allCases.length + ledgerCases.length);
  const one = await command('--list', fixture('subject'), '--only', 'L1/seq-told', '--profile', 'core');
  expect(one).toEqual({
    code: 0,
    signal: null,
    stdout: 'L1/seq-told: the seq of the outcome is the seq of the record (core)\n',
    stderr: '',
  });
});

test('--help lists the options and ends with 0', async () => {
  const { code, stdout } = await command('--help');
  expect({ code, told: /--profile <name>/.test(stdout) }).toEqual({ code: 0, told: true });
});

test('a failure tells what was compared and the last calls; so does the report', async () => {
  // With an import it runs from its sources, not from a bundle with names of its own: the comparison is read from the file.
  const args = ['--import', 'data:text/javascript,', program, fixture('subject')];
  const { code, stdout } = await runProgram([...args, '--broken', 'takes-any-parent', '--only', 'X3/gap']);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^ {4}compared by: assert\.deepEqual\(/m);
  expect(stdout).toMatch(/^ {4}the last calls:\n {6}store\.receive\(\[ \{ hash: /m);
});

test('time limits come from the environment', async () => {
  const args = [program, fixture('hanging'), '--only', 'L1/seq-told', '--no-preflight'];
  const soon = { MEMPOOL_CONFORMANCE_TIMEOUT_MS: '50', MEMPOOL_CONFORMANCE_ENDING_MS: '50' };
  expect((await runProgram(args, { env: soon })).stdout).toContain('not done after 50 ms');
  const { stderr } = await runProgram(args, { env: { MEMPOOL_CONFORMANCE_TIMEOUT_MS: '1s' } });
  expect(stderr).toContain('MEMPOOL_CONFORMANCE_TIMEOUT_MS must be a whole number');
});

/** A run of a program whose output is cut, or that is interrupted, once it has printed a case. */
async function disturbed(disturb: (child: ReturnType<typeof spawn>) => void): Promise<Pick<Ended, 'code' | 'stderr'>> {
  const args = ['--conditions=mempool-source', program, fixture('subject')];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const stderr = text(child.stderr);
  const ended = once(child, 'close');
  await once(child.stdout, 'data');
  disturb(child);
  const [code] = await ended;
  return { code, stderr: await stderr };
}

test('a closed pipe ends it quietly', async () => {
  expect(await disturbed(({ stdout }) => stdout?.destroy())).toEqual({ code: 141, stderr: '' });
});

test('SIGINT ends it with 130', async () => {
  const interrupt = (child: ReturnType<typeof spawn>): void => {
    child.stdout?.resume();
    child.kill('SIGINT');
  };
  expect(await disturbed(interrupt)).toEqual({ code: 130, stderr: '' });
});

// Some of the cases: the test of the backend that it takes runs all of them.
test('node:test takes the cases in four lines', { timeout }, async () => {
  const rules = /^L\d+\//;
  const options = ['--test', '--test-reporter=tap', `--test-name-pattern=${rules}`];
  const { code, stdout } = await runProgram([...options, fixture('with-node-test')]);
  const chosen = allCases.filter(({ id }) => rules.test(id));
  const count = chosen.filter(({ needs = [] }) =>
    needs.every((need) =>
      ['volatile', 'unshared', 'child-process', 'priority', 'arrival-verbs', 'records', 'import'].includes(need),
    ),
  ).length;
  expect(count).toBeGreaterThan(50);
  expect(stdout).toMatch(new RegExp(`^# pass ${count}$`, 'm'));
  expect(code).toBe(0);
});
