// Posts payloads from a process of its own: on several connections, each with one request at a time. It speaks just enough
// HTTP for that, because a client as dear as the server would hide half of what the server costs.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { quantile } from '../report/spread.ts';
import { serveCrew } from './crew.ts';

/** What to post. */
interface Load {
  readonly port: number;
  readonly path: string;
  readonly connections: number;
  readonly count: number;
  readonly payloadBytes: number;
}

const endOfHead = '\r\n\r\n';

/** The length of the first answer in `received`; `null` if it is not complete. @throws Error if it is not a 201 */
function lengthOf(received: Buffer): number | null {
  const end = received.indexOf(endOfHead);
  if (end < 0) return null;
  const head = received.toString('latin1', 0, end);
  const [, bytes] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
  if (!head.startsWith('HTTP/1.1 201') || bytes === undefined) throw new Error(`a post was answered: ${head}`);
  const length = end + endOfHead.length + Number(bytes);
  return received.length < length ? null : length;
}

/** Posts one body after another while `next` gives some. */
async function postAll(socket: Socket, head: Buffer, next: () => Buffer | null, latencies: number[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let received: Buffer = Buffer.alloc(0);
  let begin = 0;
  const send = (): void => {
    const body = next();
    begin = performance.now();
    if (body === null) resolve();
    else socket.write(Buffer.concat([head, body]));
  };
  socket.once('error', reject).once('close', () => reject(new Error('the server closed a connection')));
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    try {
      const length = lengthOf(received);
      if (length === null) return;
      received = received.subarray(length);
    } catch (error) {
      reject(error);
      return;
    }
    latencies.push(performance.now() - begin);
    send();
  });
  send();
  await promise;
}

/** @returns the time between the first request and the last answer, and from a request to its answer */
async function post({ port, path, connections, count, payloadBytes }: Load) {
  const noise = randomBytes(payloadBytes * count);
  const fields = [
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/octet-stream',
    `Content-Length: ${payloadBytes}`,
  ];
  const head = Buffer.from([`POST ${path} HTTP/1.1`, ...fields].join('\r\n') + endOfHead);
  const latencies: number[] = [];
  let start = 0;
  const next = (): Buffer | null => {
    if (start === noise.length) return null;
    start += payloadBytes;
    return noise.subarray(start - payloadBytes, start);
  };
  const sockets = Array.from({ length: connections }, () => connect(port, '127.0.0.1').setNoDelay());
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const begin = performance.now();
  await Promise.all(sockets.map((socket) => postAll(socket, head, next, latencies)));
  const milliseconds = performance.now() - begin;
  for (const socket of sockets) socket.destroy();
  return { milliseconds, medianMs: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) };
}

const verbs = { post };

export type PosterVerbs = typeof verbs;
serveCrew(verbs);
