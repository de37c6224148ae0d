import { z } from '@hono/zod-openapi';
import { MempoolError, type MempoolErrorCode } from 'mempool-core';
import { expect, test } from 'vitest';
import { Access } from '../../src/http/access.ts';
import { jsonEndpoint } from '../../src/http/endpoint.ts';
import { problemOf } from '../../src/http/problem.ts';
import { RequestBodies } from '../../src/http/request-body.ts';
import { Router } from '../../src/http/router.ts';

function failing(code: MempoolErrorCode): Router {
  const answer = async () => {
    throw new MempoolError(code, 'of the store');
  };
  const form = { summary: '', tag: 'chain', description: '', schema: z.null(), answer } as const;
  const endpoints = [
    jsonEndpoint({ ...form, path: '/read' }),
    jsonEndpoint({ ...form, path: '/write', method: 'post', body: z.strictObject({}) }),
  ];
  return new Router(endpoints, {
    bodies: new RequestBodies(1_000),
    identify: () => new Access([]).identify(undefined),
    owe: () => undefined,
    answered: () => undefined,
    fault: problemOf,
  });
}

async function detail(code: MempoolErrorCode, path: string, headers: Record<string, string> = {}): Promise<string> {
  const body = path === '/write' ? { method: 'POST', body: '{}' } : {};
  const request = new Request(`http://localhost${path}`, {
    ...body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  const answer = (await (await failing(code).fetch(request, {})).json()) as { readonly detail: string };
  return answer.detail;
}

test('a lost answer names the same Idempotency-Key only to a request that had one', async () => {
  const lost = 'ERR_MEMPOOL_OUTCOME_UNKNOWN';
  expect(await detail(lost, '/write', { 'idempotency-key': 'mine' })).toContain('same Idempotency-Key');
  expect(await detail(lost, '/write')).not.toContain('same Idempotency-Key');
});

test('a store that cannot be reached is described in words that hold for reads and writes', async () => {
  for (const path of ['/read', '/write'])
    expect(await detail('ERR_MEMPOOL_UNAVAILABLE', path)).toMatch(/Nothing was changed\.$/);
});
