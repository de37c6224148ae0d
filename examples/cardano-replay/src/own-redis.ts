/** A redis-server of our own that keeps its data in a folder: started by the first process that needs it, stopped by the last. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis, ReplyError } from 'ioredis';
import { MissingRedisError, needRedisServer } from 'mempool-testkit';
import { isCode, withFolderLock } from './folder-lock.ts';
import { freePort } from './free-port.ts';
import { ReplayError } from './replay-error.ts';

/** A server in use. Disposing it ends this use, and stops the server if nobody else uses it. */
export interface OwnRedis extends AsyncDisposable {
  readonly url: string;
}

const host = '127.0.0.1';
/** Whoever uses the server keeps a connection of this name open, so that the last one is known, killed ones not counted. */
const userName = 'mempool-example';
const answerMs = 10_000;
const retryMs = 20;

/**
 * Uses the server of this folder if one still runs, perhaps left by a killed process. Otherwise starts one.
 * @throws ReplayError if there is no redis-server on the PATH, or it does not start
 */
export async function useOwnRedis(folder: string): Promise<OwnRedis> {
  await mkdir(folder, { recursive: true });
  const dir = await realpath(folder);
  const connection = await withFolderLock(dir, async () => (await joinRunning(dir)) ?? (await start(dir)));
  return {
    url: `redis://${host}:${connection.options.port}`,
    [Symbol.asyncDispose]: () => release(connection, dir),
  };
}

/** The port's file may be old and another program's server on that port by now: only the one that works in our folder is ours. */
async function joinRunning(dir: string): Promise<Redis | null> {
  const port = await readPort(dir);
  const connection = port === null ? null : await connect(port);
  if (connection === null) return null;
  try {
    const [, found] = (await answered(connection.config('GET', 'dir'))) as string[];
    if (found !== dir) throw new ReplayError('another server');
    return await register(connection);
  } catch {
    connection.disconnect();
    return null;
  }
}

async function start(dir: string): Promise<Redis> {
  checkProgram();
  const port = await freePort();
  // Before the server runs: if we are killed in between, the next one looks here for it.
  await writeFile(portFile(dir), String(port));
  const server = spawn('redis-server', commandLine(port), { cwd: dir, detached: true, stdio: 'ignore' });
  server.unref();
  const failed = failure(server, dir);
  failed.catch(() => {});
  for (;;) {
    const connection = await Promise.race([connect(port), failed]);
    if (connection !== null) return register(connection);
    await Promise.race([delay(retryMs), failed]);
  }
}

/** Written to disk before it answers, so that Redis promises as much as the SQLite file does. */
function commandLine(port: number): string[] {
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
  return ['--bind', host, '--port', String(port), '--logfile', 'redis.log', ...durable];
}

function checkProgram(): void {
  try {
    needRedisServer();
  } catch (cause) {
    if (!(cause instanceof MissingRedisError)) throw cause;
    throw new ReplayError(`${cause.message} Or name a server with --url.`, { cause });
  }
}

async function failure(server: ChildProcess, dir: string): Promise<never> {
  await once(server, 'exit');
  throw new ReplayError(`redis-server did not start: see ${join(dir, 'redis.log')}`);
}

async function release(connection: Redis, dir: string): Promise<void> {
  try {
    await withFolderLock(dir, () => leave(connection, dir));
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
    // The folder was removed: nobody can find the server there any more.
    await leave(connection, dir);
  } finally {
    // An open connection would keep this process alive.
    connection.disconnect();
  }
}

async function leave(connection: Redis, dir: string): Promise<void> {
  if (connection.status === 'end') return;
  const clients = String(await connection.client('LIST'));
  const users = clients.split('\n').filter((line) => line.includes(` name=${userName} `)).length;
  if (users > 1) return connection.disconnect();
  // A connection that is reset has ended too.
  const gone = new Promise((resolve) => connection.once('end', resolve));
  // It ends without an answer; one that refuses stays, and says why.
  const refused = connection.shutdown('NOSAVE').catch((error: unknown) => {
    if (error instanceof ReplyError) throw error;
  });
  await Promise.all([refused, gone]);
  await rm(portFile(dir), { force: true });
}

async function register(connection: Redis): Promise<Redis> {
  await connection.client('SETNAME', userName);
  return connection;
}

/** `null` where nothing answers as a Redis does. */
async function connect(port: number): Promise<Redis | null> {
  const connection = new Redis({ host, port, lazyConnect: true, retryStrategy: () => null, disconnectTimeout: 0 });
  connection.on('error', () => {});
  try {
    await answered(connection.connect());
    return connection;
  } catch {
    connection.disconnect();
    return null;
  }
}

/** Another program on the port may never answer at all. */
async function answered<T>(answer: Promise<T>): Promise<T> {
  const late = new AbortController();
  const timeout = delay(answerMs, null, { signal: late.signal }).then(() => {
    throw new ReplayError('no answer');
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    timeout.catch(() => {});
    late.abort();
  }
}

async function readPort(dir: string): Promise<number | null> {
  try {
    return Number(await readFile(portFile(dir), 'utf8')) || null;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function portFile(dir: string): string {
  return join(dir, 'port');
}
