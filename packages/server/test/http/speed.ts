/** How many transactions per second 64 connections submit, each one at a time, beside what is possible. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNode } from 'mempool-node';
import { startProcess } from './server-process.ts';

const connections = 64;
const runMs = Number(process.argv[2] ?? 3_000);
const rounds = Number(process.argv[3] ?? 3);
const payloadBytes = 250;

interface Speed {
  /** CPU time of the process that serves, for each transaction: it says more than the speed on a busy machine. */
  readonly cpuUs: number;
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** Has 64 callers call, each again when it is answered. */
async function measure(
  cpuUsOf: () => Promise<number>,
  call: (caller: number, payload: Buffer) => Promise<void>,
): Promise<Speed> {
  const times: number[] = [];
  let n = 0;
  let begun = performance.now();
  const calling = async (caller: number): Promise<void> => {
    while (performance.now() - begun < runMs) {
      const payload = Buffer.alloc(payloadBytes, 7);
      payload.writeUInt32LE(n++);
      const at = performance.now();
      await call(caller, payload);
      times.push(performance.now() - at);
    }
  };
  const run = () => Promise.all(Array.from({ length: connections }, (_, caller) => calling(caller)));
  // The first run is for the compiler.
  await run();
  times.length = 0;
  const cpuBefore = await cpuUsOf();
  begun = performance.now();
  await run();
  const perSecond = (times.length * 1000) / (performance.now() - begun);
  const cpuUs = ((await cpuUsOf()) - cpuBefore) / times.length;
  return { cpuUs, perSecond, p99Ms: times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0 };
}

/** Posts through sockets, with as little work of its own as possible. */
async function overHttp(program: string, ...args: readonly string[]): Promise<Speed> {
  const { child, ended, url } = await startProcess(program, ...args);
  const { port } = new URL(url);
  const sockets = await Promise.all(Array.from({ length: connections }, () => connected(Number(port))));
  const head = Buffer.from(
    `POST /api/v1/transactions HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/octet-stream\r\nContent-Length: ${payloadBytes}\r\n\r\n`,
  );
  const speed = await measure(
    () => cpuOf(child.pid),
    async (caller, payload) => {
      const socket = sockets[caller] as Socket;
      socket.write(Buffer.concat([head, payload]));
      const [answer] = (await once(socket, 'data')) as [Buffer];
      if (answer.toString('latin1', 9, 12) !== '201') throw new Error(answer.toString());
    },
  );
  for (const socket of sockets) socket.destroy();
  child.kill('SIGKILL');
  await ended;
  return speed;
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay();
  await once(socket, 'connect');
  return socket;
}

/** The CPU time of another process, in microseconds. Linux counts in hundredths of a second. */
async function cpuOf(pid: number | undefined): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function ownCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

async function library(path: string): Promise<Speed> {
  const node = await openNode({ backend: 'sqlite', path });
  const speed = await measure(
    async () => ownCpuUs(),
    async (_caller, payload) => {
      await node.pool.submit({ hash: createHash('sha256').update(payload).digest('hex'), payload });
    },
  );
  await node.close();
  return speed;
}

const shown = ({ perSecond, p99Ms, cpuUs }: Speed) =>
  `${Math.round(perSecond)}/s, p99 ${p99Ms.toFixed(1)} ms, CPU ${cpuUs.toFixed(0)} µs`;
const folder = await mkdtemp(join(process.env.SPEED_FOLDER ?? tmpdir(), 'speed-'));
for (let round = 1; round <= rounds; round++) {
  const bare = await overHttp('bare-route.ts');
  const memory = await overHttp('server-program.ts', '{"backend":"ephemeral"}');
  const own = await library(join(folder, `own-${round}.sqlite`));
  const sqlite = await overHttp(
    'server-program.ts',
    JSON.stringify({ backend: 'sqlite', path: join(folder, `http-${round}.sqlite`) }),
  );
  console.log(`bare route ${shown(bare)}; memory ${shown(memory)}: ${(memory.perSecond / bare.perSecond).toFixed(2)}`);
  console.log(`library ${shown(own)}; sqlite ${shown(sqlite)}: ${(sqlite.perSecond / own.perSecond).toFixed(2)}`);
}
await rm(folder, { recursive: true });
