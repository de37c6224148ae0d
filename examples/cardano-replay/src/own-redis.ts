/** A redis-server of our own that keeps its data in a folder. It ends with this process, also when this process is killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, MissingRedisError, needRedisServer } from 'mempool-testkit';
import { ReplayError } from './replay-error.ts';

export interface OwnRedis extends AsyncDisposable {
  readonly url: string;
}

const patienceMs = 10_000;
const retryMs = 50;
/** Ends the server when the input of the shell ends, which it does with the process that holds the other end. */
const untilInputEnds =
  'exec 3<&0; redis-server "$@" & server=$!; (read -r _ <&3; kill $server 2>/dev/null) & wait $server';
/** Written to disk before each answer, so that Redis promises as much as the SQLite file does. */
const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];

/**
 * Starts a server on the data of this folder. The folder keeps its port, so two servers never write to one folder: the second waits
 * until the first has ended.
 * @throws ReplayError if there is no redis-server on the PATH, or it does not start
 */
export async function startOwnRedis(folder: string): Promise<OwnRedis> {
  checkProgram();
  await mkdir(folder, { recursive: true });
  const port = await portOf(folder);
  const args = ['--bind', '127.0.0.1', '--port', String(port), ...durable];
  for (const giveUpMs = performance.now() + patienceMs; ; await delay(retryMs)) {
    const server = spawn('sh', ['-c', untilInputEnds, 'sh', ...args], {
      ...{ cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] },
      // A signal of the terminal is for the replay, which still needs its server.
      detached: true,
    });
    const log = await readyLog(server);
    if (log === null) return { url: `redis://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => stop(server) };
    if (!log.includes('in use') || performance.now() > giveUpMs)
      throw new ReplayError(`redis-server did not start on port ${port}: ${log.trimEnd().split('\n').at(-1)}`);
  }
}

function checkProgram(): void {
  try {
    needRedisServer();
  } catch (cause) {
    if (!(cause instanceof MissingRedisError)) throw cause;
    throw new ReplayError(`${cause.message} Or name a server with --url.`, { cause });
  }
}

async function portOf(folder: string): Promise<number> {
  const path = join(folder, 'port');
  const known = Number(await readFile(path, 'utf8').catch(() => ''));
  const port = known > 0 ? known : await freePort();
  await writeFile(path, String(port));
  return port;
}

/** `null` once the server accepts connections; its log if it ended before. The log is read to its end: a full pipe would stop it. */
function readyLog(server: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    let log = '';
    server.stdout?.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      if (log.includes('Ready to accept connections')) resolve(null);
    });
    server.once('exit', () => server.stdin?.end());
    server.once('close', () => resolve(log));
  });
}

async function stop(server: ChildProcess): Promise<void> {
  const gone = once(server, 'exit');
  server.stdin?.end();
  await gone;
}
