import { chmodSync, linkSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { type Ledger, type LedgerOptions, openLedger } from 'mempool-ledger';
import { type SqliteLedgerOptions, sqliteLedger } from 'mempool-ledger/sqlite';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { openLeases } from '../../../sqlite/test/election/node.ts';
import { numbers } from '../../../sqlite/test/numbered.ts';
import { report } from '../../../sqlite/test/program.ts';

type Options = Partial<SqliteLedgerOptions & LedgerOptions>;

async function open(path: string, options: Options = {}): Promise<Ledger> {
  const ledger = await openLedger(sqliteLedger, { currency: 'ADA', ...options, path });
  onTestFinished(() => ledger.close());
  return ledger;
}

const money = { source: '~vault', destination: 'alice', amount: 5n, currency: 'ADA' };

/** A ledger with a wallet, tags, a transfer `paid` and a reservation `held`, in records 2 to 4; closed. */
async function makeLedger(path = join(scratchFolder(), 'ledger.db')): Promise<string> {
  const ledger = await open(path);
  await ledger.createWallet({ id: 'alice', owner: 'alice', tags: ['one'], currency: 'ADA' });
  await ledger.transfer({ ...money, id: 'paid' });
  await ledger.reserve({ ...money, id: 'held', timeoutMs: 60_000 });
  await ledger.close();
  return path;
}

function alter(path: string, sql: string): void {
  const database = new SqliteDatabase(path);
  database.exec(sql);
  database.close();
}

const foreign: Readonly<Record<string, (path: string) => unknown>> = {
  'a text': (path) => writeFileSync(path, 'hello'),
  "another program's database": (path) => new SqliteDatabase(path).exec('CREATE TABLE note (text TEXT)').close(),
  'a pool': async (path) => (await sqlite.open({ path })).close(),
  'a newer format': async (path) => alter(await makeLedger(path), 'PRAGMA user_version = 2'),
};

test.each(Object.keys(foreign))('a file with %s is refused and left as it is', async (what) => {
  const path = join(scratchFolder(), 'some.file');
  await foreign[what]?.(path);
  const before = readFileSync(path);
  await expect(open(path)).rejects.toMatchObject({
    code: 'ERR_LEDGER_INCOMPATIBLE',
    message: expect.stringContaining(path),
  });
  expect(readFileSync(path)).toEqual(before);
});

test('a pool and an election refuse the file of a ledger, and say what it holds', async () => {
  const path = await makeLedger();
  const told = { message: expect.stringContaining('but the tables ledger,') };
  await expect(sqlite.open({ path })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INCOMPATIBLE', ...told });
  await expect(openLeases(path)).rejects.toMatchObject(told);
  await expect(sqlite.remove({ path })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INCOMPATIBLE', ...told });
  await (await open(path)).close();
});

test.each(['-wal', '-shm'])('nothing is answered once the file %s was deleted', async (end) => {
  const path = await makeLedger();
  const ledger = await open(path);
  renameSync(`${path}${end}`, `${path}-kept`);
  const gone = { code: 'ERR_LEDGER_INCOMPATIBLE', message: expect.stringContaining(`${path}${end}`) };
  await expect(ledger.transfer({ ...money, id: 'late' })).rejects.toMatchObject(gone);
  renameSync(`${path}-kept`, `${path}${end}`);
  expect(await ledger.transfer({ ...money, id: 'late' })).toMatchObject({ outcome: 'created' });
});

test('a file with several hard links is refused', async () => {
  const path = await makeLedger();
  linkSync(path, `${path}-other`);
  await expect(open(`${path}-other`)).rejects.toMatchObject({ code: 'ERR_LEDGER_ARGUMENT', field: 'path' });
});

test('another name, a wrong path and a wrong option are refused', async () => {
  const path = await makeLedger();
  await expect(open(path, { name: 'other' })).rejects.toMatchObject({ code: 'ERR_LEDGER_INCOMPATIBLE' });
  for (const wrong of ['', ':memory:', 'a\0b', scratchFolder(), join(scratchFolder(), 'missing', 'ledger.db')])
    await expect(open(wrong)).rejects.toMatchObject({ code: 'ERR_LEDGER_ARGUMENT', field: 'path' });
  await expect(open(path, { synchronous: 'off' as 'full' })).rejects.toMatchObject({ field: 'synchronous' });
});

test('without the right to write a ledger says so', async () => {
  const path = await makeLedger();
  chmodSync(path, 0o444);
  expect(await report('../../ledger/test/sqlite/opener.ts', [path])).toEqual('ERR_LEDGER_REFUSED');
});

const losses: Readonly<Record<string, (path: string) => Promise<void>>> = {
  deleted: async (path) => rmSync(path),
  'replaced by another': async (path) => renameSync(await makeLedger(), path),
};

test.each(Object.keys(losses))('nothing is written to a file that was %s, and readers are told', async (what) => {
  const path = await makeLedger();
  const ledger = await open(path);
  linkSync(path, `${path}-kept`);
  const events = ledger.subscribe({ after: 4 })[Symbol.asyncIterator]();
  const told = expect(events.next()).rejects.toMatchObject({ code: 'ERR_LEDGER_INCOMPATIBLE' });
  await losses[what]?.(path);
  await expect(ledger.transfer({ ...money, id: 'lost' })).rejects.toMatchObject({ code: 'ERR_LEDGER_INCOMPATIBLE' });
  await told;
  renameSync(`${path}-kept`, path);
  expect(await ledger.findTransfer('lost')).toBe(null);
  expect((await ledger.transfer({ ...money, id: 'lost' })).outcome).toBe('created');
});

test('while another writes a call waits without blocking the event loop, and then goes through', async () => {
  const path = await makeLedger();
  const ledger = await open(path);
  const other = new SqliteDatabase(path);
  other.exec('BEGIN IMMEDIATE');
  const call = ledger.transfer({ ...money, id: 'later' });
  let longestMs = 0;
  for (const _ of numbers(40)) {
    const before = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 5));
    longestMs = Math.max(longestMs, performance.now() - before - 5);
  }
  expect(await ledger.findTransfer('later')).toBe(null);
  other.exec('COMMIT');
  other.close();
  expect((await call).outcome).toBe('created');
  // SQLite itself waits 2 ms; the rest is for a busy machine.
  expect(longestMs).toBeLessThan(1_000);
});

test('a file that was cut short, or a table that is gone, is damage', async () => {
  const cut = await makeLedger();
  truncateSync(cut, 50);
  await expect(open(cut)).rejects.toMatchObject({ code: 'ERR_LEDGER_CORRUPT' });
  const bare = await makeLedger();
  alter(bare, 'DROP TABLE history');
  await expect(open(bare)).rejects.toMatchObject({ code: 'ERR_LEDGER_CORRUPT' });
});

test('a damaged record is named to the call that needs it, and to no other', async () => {
  const path = await makeLedger();
  alter(path, "UPDATE record SET content = 'damaged' WHERE id = 'held'");
  const ledger = await open(path);
  const [post, transfer, replay] = await Promise.allSettled([
    ledger.post({ id: 'post', pendingId: 'held' }),
    ledger.transfer({ ...money, id: 'next' }),
    ledger.transfer({ ...money, id: 'paid' }),
  ]);
  expect(post).toMatchObject({ reason: { code: 'ERR_LEDGER_CORRUPT', message: expect.stringContaining('record 4') } });
  expect(transfer).toMatchObject({ value: { outcome: 'created' } });
  expect(replay).toMatchObject({ value: { outcome: 'created', replayed: true } });
  expect(await ledger.audit()).toMatchObject({ ok: false });
});

const tampered = {
  "UPDATE record SET content = replace(content, '\"5\"', '\"6\"') WHERE id = 'paid'": 'digest',
  "DELETE FROM record WHERE id = 'paid'": 'digest',
  "UPDATE wallet SET credits_posted = 6 WHERE id = 'alice'": 'counters',
  "UPDATE wallet SET content = replace(content, '\"alice\"', '\"eve\"') WHERE id = 'alice'": 'wallet',
  "UPDATE wallet SET content = replace(content, 'false', 'true'), overdraft = 1 WHERE id = 'alice'": 'wallet',
  "UPDATE wallet SET tags = '[]' WHERE id = 'alice'": 'wallet',
  "UPDATE wallet SET closed = 1 WHERE id = 'alice'": 'wallet',
  "DELETE FROM wallet WHERE id = 'alice'": 'wallet',
  "UPDATE record SET state = 2 WHERE id = 'held'": 'transfer',
  "UPDATE record SET state = 0 WHERE id = 'paid'": 'transfer',
  'DELETE FROM history WHERE wallet = 2': 'history',
} as const;

test.each(Object.entries(tampered))('the audit finds tampering: %s', async (sql, kind) => {
  const path = await makeLedger();
  alter(path, sql);
  const { ok, faults } = await (await open(path)).audit();
  expect(ok).toBe(false);
  expect(faults.map((fault) => fault.kind)).toContain(kind);
});
