import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkFailover, type FailoverEntry, FailoverRecorder, parseFailoverRecord } from 'mempool-conformance/failover';
import { type Ended, runProgram } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { block, soundRun } from './failover-records.ts';

const program = fileURLToPath(new URL('../src/failover-cli.ts', import.meta.url));

async function fileWith(text: string): Promise<string> {
  const file = join(scratchFolder(), 'record.jsonl');
  await writeFile(file, text);
  return file;
}

function textOf(entries: readonly FailoverEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

async function check(text: string): Promise<Ended> {
  return runProgram([program, await fileWith(text)]);
}

test('the command ends with 0 for a sound record', async () => {
  expect(await check(textOf(soundRun()))).toMatchObject({ code: 0, stderr: '' });
});

test('the command ends with 1 and a line for each violation', async () => {
  const { code, stdout } = await check(textOf([...soundRun(), { ...block(1_600, 6, 3), tick: 4 }]));
  expect(code).toBe(1);
  expect(stdout.match(/^violation /gm)).toHaveLength(1);
});

test.each([
  ['no file', []],
  ['two files', ['one', 'two']],
  ['a file that is not there', ['missing']],
  ['an unknown option', ['--fast']],
])('%s is told in one line and ends with 2', async (_, args) => {
  const { code, stdout, stderr } = await runProgram([program, ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('half a line at the end is let pass', () => {
  expect(checkFailover(parseFailoverRecord(`${textOf(soundRun())}{"kind":"acq`))).toEqual([]);
});

test('as many half lines are let pass elsewhere as processes were killed', () => {
  const [half, sound] = ['{"kind":"answered","at":1', textOf(soundRun())];
  expect(checkFailover(parseFailoverRecord(`${half}\n${sound}`))).toEqual([]);
  expect(checkFailover(parseFailoverRecord(`${half}\n${half}\n${sound}`))).toMatchObject([{ rule: 'record' }]);
});

test.each(['7', '{}', '{"kind":"other","at":1}', '{"kind":"final","at":1,"digest":"a"}', '{"kind":"lost","at":"1"}'])(
  'the line %s is no entry',
  (line) => {
    expect(parseFailoverRecord(`${line}\n`)).toEqual({ entries: [], torn: [1], lines: 1 });
  },
);

test('what several writers wrote is read as they wrote it, behind half a line too', async () => {
  const file = await fileWith('{"kind":"ru');
  const [one, two] = [new FailoverRecorder(file, 'one'), new FailoverRecorder(file, 'two')];
  const entries = soundRun();
  for (const [index, entry] of entries.entries()) (index % 2 === 0 ? one : two).write(entry);
  one.close();
  two.close();
  const record = parseFailoverRecord(await readFile(file, 'utf8'));
  expect(record).toEqual({ entries, torn: [1], lines: entries.length + 1 });
});
