import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer, Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { queryObjects } from 'node:v8';
import SqliteDatabase from 'better-sqlite3';
import type { MempoolStore } from 'mempool-core';
import { encodeReceiveCall } from 'mempool-core/backend';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { Intake } from '../../src/priority/intake.ts';
import { IntakeLink } from '../../src/priority/intake-link.ts';
import {
  encodeMessage,
  MessageReader,
  newName,
  scopeOf,
  socketAt,
  socketFolder,
} from '../../src/priority/intake-socket.ts';
import { hashOf, numbers, priced } from '../numbered.ts';
import { start } from '../program.ts';
import { callOf, openNode } from './node.ts';

const count = 2_000;
const folder = socketFolder() as string;

function pathOf(name = 'pool.db'): string {
  return join(scratchFolder(), name);
}

function open(
  path: string,
  options: { readonly maxTxs?: number; readonly timeoutMs?: number } = {},
): Promise<MempoolStore> {
  return sqlite.open({ path, ordering: 'priority', timeoutMs: 30_000, synchronous: 'normal', ...options });
}

/** The socket of the process whose turn it is; '' if it is nobody's. */
function intakeOf(path: string): string {
  const database = new SqliteDatabase(path, { readonly: true });
  try {
    return String(database.prepare("SELECT name FROM turn WHERE name <> '' ORDER BY n DESC").pluck().get() ?? '');
  } finally {
    database.close();
  }
}

function listens(pid: number, name: string): boolean {
  const line = readFileSync('/proc/net/unix', 'latin1')
    .split('\n')
    .find((each) => each.endsWith(`/${name}`));
  const inode = line?.trim().split(/\s+/)[6];
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`);
  } catch {
    // The process has just ended, or closed a handle.
    return false;
  }
}

function isLocked(path: string): boolean {
  const database = new SqliteDatabase(path, { timeout: 300 });
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK');
    return false;
  } catch {
    return true;
  } finally {
    database.close();
  }
}

/** Stops or kills a process. One that is stopped in a transaction keeps everybody from writing, whatever the others do. */
async function strike(node: ChildProcess, signal: NodeJS.Signals, path: string): Promise<void> {
  node.kill(signal);
  while (signal === 'SIGSTOP' && isLocked(path)) {
    node.kill('SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, 3));
    node.kill(signal);
  }
}

/** The one of the processes whose turn it is; `null` if all have ended before there was one. */
async function planner(path: string, nodes: readonly ChildProcess[]): Promise<ChildProcess | null> {
  while (nodes.some(({ exitCode }) => exitCode === null)) {
    const name = intakeOf(path);
    const found = nodes.find(({ pid }) => name !== '' && listens(pid as number, name));
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return null;
}

test.for([
  ['SIGKILL', 'ids'],
  ['SIGKILL', 'none'],
  ['SIGSTOP', 'ids'],
  ['SIGSTOP', 'none'],
] as const)(
  'N1, X1: calls that were left to another process are carried out once, though it gets %s meanwhile (ids: %s)',
  { timeout: 180_000 },
  async ([signal, ids]) => {
    const path = pathOf();
    await using store = await open(path);
    const nodes = numbers(6).map((n) => start('./priority/admitter.ts', [path, String(n * 500), String(count), ids]));
    const said = nodes.map((node) => text(node.stdout as NodeJS.ReadableStream));
    const struck = new Set<ChildProcess>();
    for (const _ of numbers(3)) {
      const others = nodes.filter((one) => !struck.has(one));
      const node = await planner(path, others);
      if (node === null) break;
      struck.add(node);
      await strike(node, signal, path);
    }
    expect(struck.size).toBeGreaterThan(0);
    await Promise.all(said.filter((_, i) => !struck.has(nodes[i] as ChildProcess)));
    for (const node of struck) node.kill('SIGCONT');
    const all = (await Promise.all(said)).flatMap((each) => each.split('\n').slice(0, -1));
    // What a killed process was told, nobody else was. It had one call on its way.
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeLessThanOrEqual(count);
    expect(all.length).toBeGreaterThanOrEqual(signal === 'SIGSTOP' ? count : count - struck.size);
    const { transactions } = await store.peekPending({ limit: 1_000 });
    expect(transactions.map(({ seq }) => seq)).toEqual(numbers(1_000, 1));
    expect(await store.usage()).toMatchObject({ pending: count, lastSeq: count });
    const node = await openNode(path);
    expect(await node.remembered()).toEqual(await node.stored());
  },
);

/** Calls of several stores, made until one of them carries out those of all. */
async function crowd(path: string, stores: readonly MempoolStore[], first: number): Promise<string> {
  for (let n = first; ; n++) {
    const outcomes = await Promise.all(
      stores.map((store, i) => store.receive([priced(n * 10 + i, { priority: BigInt(n) })])),
    );
    expect(outcomes.flat().every(({ kind }) => kind === 'received')).toBe(true);
    if (intakeOf(path) !== '' && n > first + 20) return intakeOf(path);
  }
}

test('X2, M2: each of many stores that write at once gets its own outcomes, refusals and errors', async () => {
  const path = pathOf();
  const stores = await Promise.all(numbers(5).map(() => open(path, { maxTxs: 100 })));
  await Promise.all(
    stores.map(async (store, own) => {
      for (const n of numbers(60)) {
        const given = [priced(1_000 * own + n, { priority: BigInt(n) }), priced(9_000 + n, { priority: -1n })];
        const operationId = `${own}-${n}`;
        const outcome = await store.receive(given, { operationId });
        expect(outcome.map(({ hash }) => hash)).toEqual(given.map(({ hash }) => hash));
        const [seen] = await store.checkStatus([hashOf(1_000 * own + n)]);
        if (outcome[0]?.kind === 'received') expect(seen?.stage).not.toBe('Unknown');
        const other = stores[(own + 1) % stores.length] as MempoolStore;
        if (n % 6 === 0) expect(await other.receive(given, { operationId })).toEqual(outcome);
        const reused = other.receive([priced(1)], { operationId });
        await expect(reused).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID' });
      }
    }),
  );
  expect(intakeOf(path)).not.toBe('');
  for (const store of stores) await store.close();
  const node = await openNode(path);
  expect(await node.remembered()).toEqual(await node.stored());
});

test('nodes whose calls another one carries out keep up with a large pool, and need not read it anew', async () => {
  const path = pathOf();
  const nodes = await Promise.all(numbers(3).map(() => openNode(path)));
  await using filler = await open(path);
  for (const n of numbers(20)) await filler.receive(numbers(1_000, 100_000 + 1_000 * n).map((each) => priced(each)));
  for (const node of nodes) await node.remembered();
  await Promise.all(
    nodes.map(async (node, own) => {
      for (const n of numbers(450)) expect(await node.receive(own * 10_000 + n)).toMatchObject([{ kind: 'received' }]);
    }),
  );
  expect(intakeOf(path)).not.toBe('');
  for (const node of nodes) expect(await node.remembered()).toEqual(await node.stored());
  expect(nodes.map(({ loads }) => loads)).toEqual([1, 1, 1]);
});

test('a call whose step cannot be written fails for its own caller, and the calls with it are made', async () => {
  const path = pathOf();
  const stores = await Promise.all(numbers(4).map(() => open(path)));
  await crowd(path, stores, 0);
  const operator = new SqliteDatabase(path);
  operator.exec(`CREATE TRIGGER refusal BEFORE INSERT ON tx WHEN NEW.type = 13 BEGIN SELECT raise(ABORT, 'no'); END`);
  const poisoned = { ...priced(900_000), payloadType: 13 };
  const calls = stores.map((store, i) => store.receive([i === 1 ? poisoned : priced(800_000 + i)]));
  const settled = await Promise.allSettled(calls);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  operator.exec('DROP TRIGGER refusal');
  operator.close();
  expect(await stores[1]?.receive([poisoned])).toMatchObject([{ kind: 'received' }]);
  const node = await openNode(path);
  expect(await node.remembered()).toEqual(await node.stored());
  for (const store of stores) await store.close();
});

test('X5: calls of many stores on a file that stays locked fail in time, and can be tried again', async () => {
  const path = pathOf();
  const stores = await Promise.all(numbers(4).map(() => open(path, { timeoutMs: 1_000 })));
  await crowd(path, stores, 0);
  const other = new SqliteDatabase(path);
  other.exec('BEGIN IMMEDIATE');
  const settled = await Promise.allSettled(
    stores.map((store, i) => store.receive([priced(800_000 + i)], { operationId: `${i}` })),
  );
  const codes = settled.map((one) => (one.status === 'rejected' ? one.reason.code : one.status));
  expect(codes.filter((code) => !/UNAVAILABLE|OUTCOME_UNKNOWN/.test(code))).toEqual([]);
  other.exec('ROLLBACK');
  other.close();
  const again = stores.map((store, i) => store.receive([priced(800_000 + i)], { operationId: `${i}` }));
  expect((await Promise.all(again)).flat().map(({ kind }) => kind)).toEqual(stores.map(() => 'received'));
  for (const store of stores) await store.close();
});

test('R3: a call is aborted until it is left to another process; from then on its outcome is awaited', async () => {
  const path = pathOf();
  const stores = await Promise.all(numbers(4).map(() => open(path)));
  await crowd(path, stores, 0);
  const outcomes = await Promise.all(
    numbers(200).map(async (n) => {
      const { signal, abort } = aborting();
      const store = stores[n % 4] as MempoolStore;
      const call = store.receive([priced(700_000 + n)], { signal });
      if (n % 3 === 0) abort();
      else if (n % 3 === 1) setImmediate(abort);
      return call.then(
        () => 'done',
        (error: unknown) => (error === signal.reason ? 'aborted' : error),
      );
    }),
  );
  const stages = await stores[0]?.checkStatus(numbers(200, 700_000).map(hashOf));
  expect(stages?.map(({ stage }) => (stage === 'Unknown' ? 'aborted' : 'done'))).toEqual(outcomes);
  expect(outcomes).toContain('aborted');
  expect(outcomes).toContain('done');
  for (const store of stores) await store.close();
});

function aborting(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(new Error('enough')) };
}

test('a store that closes in its turn answers what it took', async () => {
  const path = pathOf();
  const stores = await Promise.all(numbers(6).map(() => open(path)));
  for (let n = 0; stores.length > 1; n += 1_000) {
    await crowd(path, stores, n);
    const last = stores.map((store, i) => store.receive([priced(1_000_000 + n * 10 + i)]));
    const closing = stores.pop()?.close();
    expect((await Promise.all(last)).flat().map(({ kind }) => kind)).toEqual(last.map(() => 'received'));
    await closing;
  }
  await stores[0]?.close();
});

test.for([
  ['before', 'answered', 'declined'],
  ['after', 'answered', 'declined'],
  ['before', 'cut', 'lost'],
] as const)(
  'M3: a call that is left %s its turn ends (%s) is %s: only then must it look in the file',
  async ([when, how, told]) => {
    const host = { place: () => 0, take: () => undefined, gone: () => undefined };
    const intake = (await Intake.open(folder, host)) as Intake;
    const link = (await IntakeLink.to(socketAt(folder, intake.name) as string, intake.name)) as IntakeLink;
    const leave = () => link.leave({ id: 'a', ids: 'calls' }, Buffer.alloc(10), 30_000);
    const left = when === 'before' ? leave() : null;
    intake.close(how);
    expect(await (left ?? leave())).toBe(told);
    expect(link.isOpen).toBe(false);
    expect(await leave()).toBe('declined');
  },
);

test('a copy of a file does not meet the file, though it names the same socket', async () => {
  const [path, copy] = [pathOf(), pathOf('copy.db')];
  const stores = await Promise.all(numbers(3).map(() => open(path)));
  const name = await crowd(path, stores, 0);
  const database = new SqliteDatabase(path);
  await database.backup(copy);
  database.close();
  expect(intakeOf(copy)).toBe(name);
  const copies = await Promise.all(numbers(3).map(() => open(copy)));
  const [before, known] = [await stores[0]?.usage(), intakeOf(path)];
  await Promise.all(copies.map((store, i) => store.receive([priced(500_000 + i)])));
  expect(await crowd(copy, copies, 1_000)).not.toBe(name);
  expect([await stores[0]?.usage(), intakeOf(path)]).toEqual([before, known]);
  for (const store of [...stores, ...copies]) await store.close();
});

test('two pools do not meet', async () => {
  const pools = await Promise.all(
    ['one.db', 'two.db'].map(async (name) => {
      const path = pathOf(name);
      return { path, stores: await Promise.all(numbers(3).map(() => open(path))) };
    }),
  );
  const names = await Promise.all(pools.map(({ path, stores }, i) => crowd(path, stores, i * 10_000)));
  expect(new Set(names).size).toBe(2);
  for (const [i, { stores }] of pools.entries()) {
    const { transactions } = await (stores[0] as MempoolStore).peekPending({ limit: 1_000 });
    expect(transactions.every(({ hash }) => Number.parseInt(hash, 16) >= 100_000 === (i === 1))).toBe(true);
    for (const store of stores) await store.close();
  }
});

/** Names an intake in the file, as if a process had the turn that listens there. */
function announce(path: string, name: string): void {
  const database = new SqliteDatabase(path);
  database.prepare('INSERT OR REPLACE INTO turn (n, scope, name) VALUES (1, ?, ?)').run(scopeOf(folder, path, 1), name);
  database.close();
}

const hello = (name: string) => encodeMessage({ kind: 'hello', call: 0, body: [name, 0] });
const tooLong = Buffer.from('ffffffff0200000001', 'hex');

test.for<readonly [what: string, talk: ((socket: Socket, name: string) => void) | null]>([
  ['a file', null],
  ['one that says nothing', () => undefined],
  ['one that says something else', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'.repeat(100))],
  ['one that speaks for another pool', (socket) => socket.write(hello(newName()))],
  ['one that begins an endless message', (socket) => socket.write(tooLong)],
  ['one that says hello and no more', (socket, name) => socket.write(hello(name))],
  ['one that hangs up', (socket, name) => socket.write(hello(name), () => socket.once('data', () => socket.destroy()))],
  [
    'one that answers nonsense',
    (socket, name) => socket.write(hello(name), () => socket.on('data', (sent) => socket.write(sent))),
  ],
  [
    'one that never stops',
    (socket, name) => socket.write(hello(name), () => socket.once('data', () => socket.write(tooLong))),
  ],
])('a call does not depend on what is at the place of the socket: %s', async ([, talk]) => {
  const path = pathOf();
  await using store = await open(path);
  const name = newName();
  const place = join(folder, name);
  let talks = 0;
  if (talk === null) writeFileSync(place, 'a file');
  else {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      talks += 1;
      sockets.push(socket.on('error', () => undefined));
      talk(socket, name);
    });
    await new Promise<void>((resolve) => server.listen(place, resolve));
    onTestFinished(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
  }
  announce(path, name);
  for (const n of numbers(5)) expect(await store.receive([priced(n)])).toMatchObject([{ kind: 'received' }]);
  expect(talks).toBe(talk === null ? 0 : 1);
  expect(await store.usage()).toMatchObject({ pending: 5, lastSeq: 5 });
});

test('X5: a call that waited for one that says nothing longer than its time limit is made', async () => {
  const path = pathOf();
  await using store = await open(path, { timeoutMs: 200 });
  const name = newName();
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(join(folder, name), resolve));
  onTestFinished(() => void server.close());
  announce(path, name);
  expect(await store.receive([priced(1)])).toMatchObject([{ kind: 'received' }]);
  expect(await store.receive([priced(2)])).toMatchObject([{ kind: 'received' }]);
});

test.for<readonly [what: string, bytes: Buffer]>([
  ['garbage', Buffer.from('GET / HTTP/1.1\r\n\r\n'.repeat(1_000))],
  ['the head of an endless message', tooLong],
  ['a message that only the other side sends', hello(newName())],
  ['no call', encodeMessage({ kind: 'call', call: 1, body: ['ops', 7, 'x'] })],
  ['a call that cannot be read', encodeMessage({ kind: 'call', call: 1, body: ['ops', 'x', Buffer.alloc(10)] })],
  ['half a call', encodeMessage({ kind: 'call', call: 1, body: ['ops', 'x', Buffer.alloc(10)] }).subarray(0, 20)],
])('a guest that sends %s does no harm', async ([, bytes]) => {
  const path = pathOf();
  const stores = await Promise.all(numbers(3).map(() => open(path)));
  const name = await crowd(path, stores, 0);
  const guest = connect(join(folder, name)).on('error', () => undefined);
  guest.write(bytes);
  onTestFinished(() => void guest.destroy());
  expect(await crowd(path, stores, 1_000)).toBe(name);
  for (const store of stores) await store.close();
  const node = await openNode(path);
  expect(await node.remembered()).toEqual(await node.stored());
});

/** Leaves a call at a socket, as a process does that writes nothing itself, and hangs up. Returns false if it was not carried out. */
async function visit(name: string, n: number): Promise<boolean> {
  const [socket, reader, heard] = [connect(join(folder, name)), new MessageReader(), new EventEmitter()];
  socket.on('error', () => undefined).on('close', () => heard.emit('over', false));
  socket.on('data', (chunk) => {
    for (const { kind } of reader.read(chunk)) if (kind === 'outcome') heard.emit('over', true);
  });
  const record = encodeReceiveCall(callOf(n), { digest: undefined });
  socket.write(encodeMessage({ kind: 'call', call: 1, body: ['calls', `visit ${n}`, record] }));
  const [isDone] = await once(heard, 'over');
  socket.destroy();
  return isDone;
}

test('a process in its turn keeps nothing of guests that have left', async () => {
  const path = pathOf();
  const stores = await Promise.all(numbers(3).map(() => open(path)));
  // Before the turn: to count stops everything, on a slow machine for longer than a turn lasts.
  const before = Number(queryObjects(Socket));
  // On a busy machine the turn may end meanwhile.
  for (let [first, isOver] = [0, true]; isOver; first += 10_000) {
    const name = await crowd(path, stores, first);
    const visits = await Promise.all(numbers(60, 9_000_000 + first).map((n) => visit(name, n)));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const after = Number(queryObjects(Socket));
    isOver = !visits.every(Boolean) || intakeOf(path) !== name;
    if (!isOver) expect(after).toBeLessThan(before + 20);
  }
  for (const store of stores) await store.close();
});

test('one store alone, and one of a clock of its own, carry out no calls of others', async () => {
  const path = pathOf();
  await using one = await open(path);
  for (const n of numbers(300)) await one.receive([priced(n)]);
  await using other = await sqlite.open({ path, ordering: 'priority', now: () => 1_000 });
  for (const n of numbers(300, 300)) await other.receive([priced(n)]);
  expect(intakeOf(path)).toBe('');
});
