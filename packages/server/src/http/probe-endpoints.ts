import { z } from '@hono/zod-openapi';
import { isMempoolError, type Mempool } from 'mempool-core';
import type { Election } from 'mempool-election';
import { bytesAnswer, type Endpoint, endpoint, jsonEndpoint } from './endpoint.ts';
import type { Gate } from './gate.ts';
import type { Opened } from './opened.ts';
import { Problem } from './problem.ts';

export interface ProbeParts {
  readonly pool: Mempool;
  readonly election: Election | null;
  readonly extensions: readonly Opened[];
  readonly gate: Gate;
}

const ready = z.object({ ready: z.literal(true), leader: z.boolean().nullable() });

/** How long `readyz` waits for the store. */
const probeMs = 2_000;
/** How long `livez` waits for the store. An orchestrator asks within a second, and a slow store is no reason to restart. */
const aliveMs = 300;

/** Liveness and readiness, for a load balancer or an orchestrator. */
export function probeEndpoints(parts: ProbeParts): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/livez',
      summary: 'The process answers, and no restart is needed',
      tag: 'server',
      scopes: [],
      answers: { 200: { description: 'ok', contentType: 'text/plain' } },
      answer: async () => {
        await assertAlive(parts);
        return bytesAnswer('ok\n', { 'content-type': 'text/plain' });
      },
    }),
    jsonEndpoint({
      path: '/readyz',
      summary:
        'The server has room for requests, the stores can be reached and, where there is an election, its leader is known',
      tag: 'server',
      scopes: [],
      description: 'Ready.',
      schema: ready,
      answer: async () => {
        await assertReady(parts);
        return { ready: true, leader: parts.election?.isLeader() ?? null };
      },
    }),
  ];
}

/** @throws `Problem` 503 if the store is not the one that was opened: only a restart helps then */
async function assertAlive({ pool, gate }: ProbeParts): Promise<void> {
  if (gate.stopping.aborted) return;
  try {
    await pool.tip({ signal: AbortSignal.timeout(aliveMs) });
  } catch (error) {
    if (isMempoolError(error, 'ERR_MEMPOOL_INCOMPATIBLE'))
      throw notReady('The store was deleted or replaced. Restart the server.');
  }
}

async function assertReady({ pool, election, extensions, gate }: ProbeParts): Promise<void> {
  if (gate.stopping.aborted) throw notReady('The server stops.');
  if (gate.isBusy) throw notReady('The server has too much to do.');
  try {
    await pool.tip({ signal: AbortSignal.timeout(probeMs) });
  } catch {
    throw notReady('The store cannot be reached.');
  }
  for (const reason of await Promise.all(extensions.map(reasonOf))) if (reason !== null) throw notReady(reason);
  if (election !== null && election.leader === null && !election.isLeader()) throw notReady('No leader is known.');
}

/** The reason why an extension cannot work now. */
async function reasonOf({ notReady: ask }: Opened): Promise<string | null> {
  if (ask === undefined) return null;
  const late = new Promise<string>((resolve) => {
    setTimeout(() => resolve('An extension does not answer.'), probeMs).unref();
  });
  return Promise.race([ask().catch(() => 'An extension fails.'), late]);
}

function notReady(detail: string): Problem {
  return new Problem(503, 'ERR_SERVER_NOT_READY', { detail, headers: { 'retry-after': '1' } });
}
