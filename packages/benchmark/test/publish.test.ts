import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { compare } from '../src/report/check.ts';
import { write } from '../src/report/publish.ts';
import { report } from '../src/report/report.ts';
import { readResult } from '../src/report/result.ts';
import { sampleResult } from './sample-result.ts';

function written(result = sampleResult()): string {
  const folder = mkdtempSync(join(tmpdir(), 'mempool-benchmark-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  write(result, join(folder, 'results'));
  return join(folder, 'results');
}

describe('a published run', () => {
  test('is Markdown, JSON and an image', () => {
    expect(readdirSync(written()).sort()).toEqual(['latest.json', 'latest.md', 'latest.svg']);
  });

  test('gives the same report and no regression when it is read back', () => {
    const folder = written();
    const result = readResult(join(folder, 'latest.json'));
    expect(report(result)).toBe(readFileSync(join(folder, 'latest.md'), 'utf8'));
    expect(compare(result, sampleResult())).toMatchObject({ compared: 12, missing: 0, worse: [], unsure: [] });
  });

  test('of another format is refused', () => {
    const folder = written({ ...sampleResult(), format: 1 as 3 });
    expect(() => readResult(join(folder, 'latest.json'))).toThrow(Error);
  });
});
