import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ledgerMatrix, matrix, withMatrix } from './report/matrix.ts';
import type { Report } from './report/report.ts';

/** Writes the matrix of rules and backends into MATRIX.md, from the reports of the last test run; `--check` compares. */
const page: string = fileURLToPath(new URL('../MATRIX.md', import.meta.url));
const reports: string = fileURLToPath(new URL('../../.data/conformance/', import.meta.url));

/** The backends of this repository, in the order of the matrix's columns. */
const subjects = ['ephemeral', 'sqlite', 'redis'] as const;
/** Those of its ledgers. A test of each writes its report under this name. */
const ledgers = ['ledger-memory', 'ledger-sqlite', 'ledger-redis'] as const;

function readReport(subject: string): Report {
  const file = `${reports}${subject}.json`;
  if (!existsSync(file)) throw new Error(`${file} is missing: run the tests first`);
  return JSON.parse(readFileSync(file, 'utf8')) as Report;
}

function main(mode: string | undefined): number {
  const old = readFileSync(page, 'utf8');
  const fresh = withMatrix(old, `${matrix(subjects.map(readReport))}\n\n${ledgerMatrix(ledgers.map(readReport))}`);
  if (old === fresh) return 0;
  if (mode !== '--check') {
    writeFileSync(page, fresh);
    return 0;
  }
  console.error('conformance/MATRIX.md is not that of the last test run: npm run matrix writes it.');
  return 1;
}

try {
  process.exitCode = main(process.argv[2]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
