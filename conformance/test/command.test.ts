import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allCases, type Report } from 'mempool-conformance';
import { expect, test } from 'vitest';
import { type Ended, fixture, runProgram } from './program.ts';

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
  const text = await readFile(markdown, 'utf8');
  await rm(folder, { recursive: true });
  expect(stdout).toMatch(/^passed {7}L1\/arrival-order/m);
  expect(code).toBe(0);
  expect(report).toMatchObject({ subject: 'mine', result: 'passed', seed: 5 });
  expect(report.cases).toHaveLength(allCases.length);
  expect(text).toMatch(/^# Conformance of mine: passed$/m);
  expect(text).toMatch(/^\| \*\*L2\*\* /m);
});

test('a backend that breaks a rule ends with 1, and the case names the rule', async () => {
  const { code, stdout } = await command(fixture('forgetful'), '--only', 'L4');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^failed {7}L4\//m);
});

test('one rule or one case on one ordering may be chosen; the result is then partial', async () => {
  const { code, stdout } = await command(fixture('subject'), '--only', 'L1/arrival-order@priority');
  expect(code).toBe(0);
  expect(stdout).toContain('mine: partial (1 passed, 0 failed');
});

test('the id of a case of every pool chooses it on pools of both orderings', async () => {
  const { code, stdout } = await command(fixture('subject'), '--only', 'L1/arrival-order');
  expect(code).toBe(0);
  expect(stdout.match(/^passed +L1\S+/gm)).toEqual([
    'passed       L1/arrival-order',
    'passed       L1/arrival-order@priority',
  ]);
});

test.each([
  ['no subject', []],
  ['two subjects', [fixture('subject'), fixture('subject')]],
  ['an unknown option', [fixture('subject'), '--fast']],
  ['a seed that is no number', [fixture('subject'), '--seed', 'x']],
  ['a rule that does not exist', [fixture('subject'), '--only', 'L99']],
  ['a file that does not exist', ['missing.js']],
  ['a file without a subject', [fixture('no-subject')]],
])('%s is told in one line and ends with 2', async (_, args) => {
  const { code, stdout, stderr } = await command(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('node:test takes the cases in three lines', { timeout }, async () => {
  const { code, stdout } = await runProgram(['--test', '--test-reporter=tap', fixture('with-node-test')]);
  const count = allCases.filter(({ needs = [] }) =>
    needs.every((need) => need === 'volatile' || need === 'child-process' || need === 'priority'),
  ).length;
  expect(stdout).toMatch(new RegExp(`^# pass ${count}$`, 'm'));
  expect(code).toBe(0);
});
