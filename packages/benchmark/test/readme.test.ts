import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { quoted, quoteIn, readmes, storedReport } from '../src/report/publish.ts';
import { quoteEnd, quoteStart, report } from '../src/report/report.ts';
import { sampleResult } from './sample-result.ts';

const notYet = '\nNo run is stored yet.\n';

describe('the README', () => {
  test('quotes the stored run, or says that there is none', () => {
    const stored = storedReport();
    const quotes = readmes.map((path) => quoted(readFileSync(path, 'utf8'))).filter((quote) => quote !== null);
    expect(quotes).not.toHaveLength(0);
    for (const quote of quotes) expect(quote).toBe(stored === null ? notYet : quoted(stored));
  });

  test('gets the quote of a new run between its markers, and nothing else changes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mempool-benchmark-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'README.md');
    writeFileSync(path, `before $&\n${quoteStart}old${quoteEnd}\nafter\n`);
    const markdown = report(sampleResult());
    quoteIn([path], markdown);
    expect(readFileSync(path, 'utf8')).toBe(`before $&\n${quoteStart}${quoted(markdown)}${quoteEnd}\nafter\n`);
  });
});
