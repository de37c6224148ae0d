import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ElectionSubject, preflight, type Subject } from 'mempool-conformance';
import { sqlite } from 'mempool-sqlite';
import { runProgram } from 'mempool-testkit';
import { afterAll, expect, test } from 'vitest';
import { subject as directory } from './fixtures/directory-leases.ts';
import { subject } from './fixtures/subject.ts';
import { faultySubject, noFault, removeFolder } from './planted/subject.ts';
import { fixture } from './program.ts';

const durable = faultySubject(noFault);
const command = new URL('../src/cli.ts', import.meta.url).pathname;

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await removeFolder();
});

test.each([subject, durable, directory])('$name is fit to be tested', async (sound) => {
  await expect(preflight(sound)).resolves.toBeUndefined();
});

const folder = mkdtempSync(join(tmpdir(), 'mempool-preflight-'));
const elsewhere = (pool: string): string => join(folder, `${pool}-${randomUUID()}`);

const own = join(folder, 'own');

const wrong: readonly (readonly [string, Subject | ElectionSubject, RegExp])[] = [
  [
    'drops every option',
    { ...subject, open: (pool) => subject.open(pool) },
    /drops finalizeThreshold: pass all options/,
  ],
  [
    'drops one option',
    { ...subject, open: (pool, { ordering: _, ...more } = {}) => subject.open(pool, more) },
    /drops ordering: pass all options/,
  ],
  ['drops the name', { ...durable, open: (_, options) => durable.open('one', options) }, /must pass the name on/],
  [
    'makes another pool of the same name',
    { ...durable, open: (pool, options) => sqlite.open({ ...options, pool, path: elsewhere(pool) }) },
    /the same name again is another pool/,
  ],
  [
    'has another place in mind than its children',
    { ...durable, open: (pool, options) => sqlite.open({ ...options, pool, path: `${own}-${pool}` }) },
    /is not there for its parent/,
  ],
  [
    'says durable of what is not',
    { ...subject, backend: { name: 'x', capabilities: { ...subject.backend.capabilities, durable: true } } },
    /durable, but a pool that was closed is empty/,
  ],
  ['has a path for a module', { ...subject, module: import.meta.filename }, /give import.meta.url/],
  ['has the module of another', { ...subject, name: 'another' }, /module exports the subject mine/],
  [
    'has a module without it',
    { ...subject, module: new URL('./fixtures/no-subject.ts', import.meta.url).href },
    /exports no subject/,
  ],
  ['opens what is no store', { ...subject, open: async () => ({}) as never }, /it lacks .*receive, hasPending/],
  [
    'cannot open',
    { ...subject, open: () => Promise.reject(new Error('no such place')) },
    /mine cannot be tested: .*no such place/,
  ],
  [
    'has one election for all',
    { ...directory, leases: (_, options) => directory.leases('all', options) },
    /pass the name on/,
  ],
];

test.each(wrong)('a subject that %s is told so at once', async (_, faulty, hint) => {
  await expect(preflight(faulty)).rejects.toThrow(hint);
});

test('the command tells it in one line and runs no case, unless it is told to', async () => {
  const failing = fixture('dropping');
  const { code, stdout, stderr } = await runProgram([command, failing, '--only', 'L1/seq-told']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^mempool-conformance: dropping cannot be tested: .*drops finalizeThreshold.*\n$/);
  expect(await runProgram([command, failing, '--only', 'L1/seq-told', '--no-preflight'])).toMatchObject({ code: 0 });
});
