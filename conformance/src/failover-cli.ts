#!/usr/bin/env node
/** Checks the record of a fail-over run: `mempool-failover-check <file>`. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { checkFailover, failoverRules } from './failover/check.ts';
import { entriesOf, type FailoverRecord, parseFailoverRecord } from './failover/record.ts';

const usage = 'usage: mempool-failover-check <file>';

function main(args: readonly string[]): number {
  if (args.includes('--help')) {
    console.log(usage);
    return 0;
  }
  const record = parseFailoverRecord(readFileSync(onlyFile(args), 'utf8'));
  const violations = checkFailover(record);
  for (const { rule, message } of violations) console.log(`violation    ${failoverRules[rule]}: ${message}`);
  console.log(`${counts(record)}; ${violations.length} violations`);
  return violations.length === 0 ? 0 : 1;
}

function onlyFile(args: readonly string[]): string {
  const [file, ...more] = parseArgs({ args: [...args], allowPositionals: true }).positionals;
  if (file === undefined || more.length > 0) throw new Error(usage);
  return file;
}

function counts(record: FailoverRecord): string {
  const answers = entriesOf(record, 'answered');
  const applied = answers.filter(({ outcome }) => outcome === 'applied').length;
  const fenced = answers.filter(({ outcome }) => outcome === 'fenced').length;
  const [faults, won] = [entriesOf(record, 'fault').length, entriesOf(record, 'acquired').length];
  return `${faults} faults, ${won} leaderships, ${applied} blocks applied, ${fenced} calls fenced`;
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  process.exitCode = 2;
  console.error(`mempool-failover-check: ${(error instanceof Error ? error.message : String(error)).split('\n')[0]}`);
}
