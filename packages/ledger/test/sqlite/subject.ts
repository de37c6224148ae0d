import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LedgerSubject } from 'mempool-conformance';
import { openLedger } from 'mempool-ledger';
import { sqliteLedger } from 'mempool-ledger/sqlite';

const directory = join(tmpdir(), 'mempool-sqlite-conformance');
mkdirSync(directory, { recursive: true });
const pathOf = (name: string) =>
  join(directory, `ledger-${createHash('sha256').update(String(name)).digest('hex')}.db`);

export const subject: LedgerSubject = {
  name: 'ledger-sqlite',
  ledger: (options) => openLedger(sqliteLedger, { ...options, path: pathOf(options.name) }),
  ledgerTraits: ['clock', 'durable', 'shared'],
  async destroy(name) {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${pathOf(name)}${suffix}`, { force: true });
  },
};
