import { chmodSync, linkSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { type Ledger, type LedgerOptions, newTransferId, openLedger } from 'mempool-ledger';
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

const money = { source: 'vault', destination: 'alice', amount: 5n, currency: 'ADA' };

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

test('calls that wait are answered before a ledger is closed', async () => {
  const path = await makeLedger();
  const ledger = await open(path);
  const calls = numbers(3).map((n) => ledger.transfer({ ...money, id: `last ${n}` }));
  await ledger.close();
  expect((await Promise.all(calls)).map(({ outcome }) => outcome)).toEqual(['created', 'created', 'created']);
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
} as const;

test.each(Object.entries(tampered))('the audit finds tampering: %s', async (sql, kind) => {
  const path = await makeLedger();
  alter(path, sql);
  const { ok, faults } = await (await open(path)).audit();
  expect(ok).toBe(false);
  expect(faults.map((fault) => fault.kind)).toContain(kind);
});

test('amounts above 2^53 are exact, up to 2^63 − 1', async () => {
  const path = join(scratchFolder(), 'ledger.db');
  const [odd, most] = [2n ** 53n + 1n, 2n ** 63n - 1n];
  const ledger = await open(path);
  for (const id of ['a', 'b', 'c']) await ledger.createWallet({ id, owner: id, currency: 'ADA' });
  const move = (id: string, source: string, destination: string, amount: bigint) =>
    ledger.transfer({ id, source, destination, amount, currency: 'ADA' }).then(({ outcome }) => outcome);
  expect(await move('1', 'vault', 'a', odd)).toBe('created');
  expect(await move('2', 'a', 'b', odd)).toBe('created');
  expect(await move('3', 'b', 'c', 1n)).toBe('created');
  expect(await move('4', 'vault', 'a', most - odd)).toBe('created');
  expect(await move('5', 'vault', 'c', 1n)).toBe('overflow');
  expect(await move('6', 'a', 'c', most - odd)).toBe('created');
  await ledger.close();
  const again = await open(path);
  expect(await again.wallet('vault')).toMatchObject({ debitsPosted: most, creditsPosted: 0n });
  expect(await again.wallet('b')).toMatchObject({ creditsPosted: odd, debitsPosted: 1n });
  expect(await again.wallet('c')).toMatchObject({ creditsPosted: most - odd + 1n });
  expect(await again.findTransfer('4')).toMatchObject({ amount: most - odd });
  expect(await again.audit()).toMatchObject({ ok: true });
});

test('trimmed records become openings, of which the audit goes on, also after the file was opened again', async () => {
  const path = join(scratchFolder(), 'ledger.db');
  let now = 1_800_000_000_000;
  const retained = { retentionMs: 1_000, now: () => now } as const;
  const ledger = await open(path, retained);
  await ledger.createWallet({ id: 'alice', owner: 'alice', currency: 'ADA' });
  const idAt = (n: number) => {
    const time = now.toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(n).padStart(12, '0')}`;
  };
  const old = idAt(1);
  await ledger.transfer({ ...money, id: old });
  await ledger.transfer({ ...money, id: idAt(2), source: 'alice', destination: 'vault', amount: 9n });
  now += 400_000;
  await ledger.transfer({ ...money, id: idAt(3) });
  expect(await ledger.trim()).toEqual({ count: 4, more: false });
  await ledger.close();
  const again = await open(path, retained);
  expect((await again.transfer({ ...money, id: old })).outcome).toBe('id_expired');
  expect(await again.wallet('alice')).toMatchObject({ creditsPosted: 10n });
  expect((await again.transfers({ wallet: 'alice' })).items).toHaveLength(1);
  expect(await again.audit()).toMatchObject({ ok: true, records: 1 });
});

test('an id whose record was trimmed is not carried out again under a longer retention, nor under none', async () => {
  const path = join(scratchFolder(), 'ledger.db');
  const hourMs = 3_600_000;
  const start = Date.now();
  let time = start;
  const now = () => time;
  const short = await open(path, { now, retentionMs: hourMs });
  await short.createWallet({ id: 'alice', owner: 'alice', currency: 'ADA' });
  const paid = { ...money, id: newTransferId(start + 200_000) };
  await short.transfer(paid);
  time += 2 * hourMs;
  expect(await short.trim()).toEqual({ count: 3, more: false });
  expect(await short.transfer(paid)).toMatchObject({ outcome: 'id_expired' });
  await short.close();
  for (const retentionMs of [24 * hourMs, 'never'] as const) {
    const longer = await open(path, { now, retentionMs });
    expect([retentionMs, (await longer.transfer(paid)).outcome]).toEqual([retentionMs, 'id_expired']);
    expect(await longer.transfer({ ...money, id: newTransferId(time) })).toMatchObject({ outcome: 'created' });
    expect(await longer.audit()).toMatchObject({ ok: true });
    await longer.close();
  }
  expect(await (await open(path, { now })).wallet('alice')).toMatchObject({ creditsPosted: 15n });
});
