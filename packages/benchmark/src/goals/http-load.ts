// Posts payloads from a process of its own: on 64 connections, each with one request at a time.
import { randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import { quantile } from '../report/spread.ts';

/** What to post. */
export interface Load {
  readonly origin: string;
  readonly path: string;
  readonly connections: number;
  readonly count: number;
  readonly payloadBytes: number;
}

/** What came of it. */
export interface Loaded {
  /** Between the first request and the last answer. */
  readonly milliseconds: number;
  /** From a request to its answer. */
  readonly medianMs: number;
  readonly p99Ms: number;
}

async function post({ origin, path, connections, count, payloadBytes }: Load): Promise<Loaded> {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const noise = randomBytes(payloadBytes * count);
  const latencies: number[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) {
      const start = payloadBytes * next++;
      const body = noise.subarray(start, start + payloadBytes);
      const begin = performance.now();
      const answer = await pool.request({ path, method: 'POST', headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== 201) throw new Error(`POST ${path} answered ${answer.statusCode}: ${text}`);
      latencies.push(performance.now() - begin);
    }
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: connections }, caller));
  const milliseconds = performance.now() - begin;
  await pool.close();
  return { milliseconds, medianMs: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) };
}

const headers = { 'content-type': 'application/octet-stream' };

process.once('disconnect', () => process.exit());
process.on('message', async (load: Load) => process.send?.(await post(load)));
process.send?.('ready');
