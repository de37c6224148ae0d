import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { PageFile } from '../../server/src/http/page-file.ts';
import { RequestBodies } from '../../server/src/http/request-body.ts';
import { Router } from '../../server/src/http/router.ts';
import { served } from '../../server/test/http/served.ts';
import { pageEndpoints } from '../src/page-endpoints.ts';

const script = 'console.log("the dashboard");\n'.repeat(100);
const files = {
  'index.html': '<!doctype html><title>mempool</title>',
  'assets/index-4f0Yk2aB.js': script,
  'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
};
const bytes = (text: string) => new TextEncoder().encode(text);
const page = new Map(Object.entries(files).map(([name, text]) => [name, new PageFile(name, bytes(text))]));

function routerOf(given: typeof page | null): Router {
  const parts = { bodies: new RequestBodies(1), identify: () => null, owe: () => undefined, answered: () => undefined };
  return new Router(pageEndpoints(given), { ...parts, fault: (error) => error as never });
}

function get(
  path: string,
  headers: Record<string, string> = {},
  router = routerOf(page),
): Promise<Response> | Response {
  return router.fetch(new Request(`http://localhost${path}`, { headers }), {});
}

test('the page is asked for each time by its tag, and files with a hash in their name are kept for good', async () => {
  const index = await get('/');
  expect([index.headers.get('cache-control'), await index.text()]).toEqual(['no-cache', files['index.html']]);
  const tag = index.headers.get('etag') ?? '';
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`]) {
    const again = await get('/', { 'if-none-match': known });
    expect([known, again.status, await again.text()]).toEqual([known, 304, '']);
  }
  expect((await get('/', { 'if-none-match': '"other"' })).status).toBe(200);
  const hashed = await get('/assets/index-4f0Yk2aB.js');
  expect(hashed.headers.get('cache-control')).toContain('immutable');
  expect((await get('/icon.svg')).headers.get('cache-control')).toBe('no-cache');
});

test('a file is sent in the smallest encoding that the client takes', async () => {
  const sent = async (accepted: string) => {
    const { headers, ...response } = await read('/assets/index-4f0Yk2aB.js', { 'accept-encoding': accepted });
    return { encoding: headers.get('content-encoding'), tag: headers.get('etag'), ...response };
  };
  const [br, gzip, none] = [await sent('gzip, deflate, br'), await sent('gzip, br;q=0'), await sent('deflate')];
  expect([br.encoding, gzip.encoding, none.encoding]).toEqual(['br', 'gzip', null]);
  expect(String(brotliDecompressSync(br.bytes))).toBe(script);
  expect(String(gunzipSync(gzip.bytes))).toBe(script);
  expect(String(none.bytes)).toBe(script);
  expect(new Set([br.tag, gzip.tag, none.tag]).size).toBe(3);
});

async function read(path: string, headers: Record<string, string>) {
  const response = await get(path, headers);
  return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

test('the page may load nothing from elsewhere, and stand in no frame', async () => {
  const { headers } = await get('/');
  const policy = headers.get('content-security-policy');
  expect(policy).toContain("default-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test('without a built page the answer says how to make it', async () => {
  const answer = await get('/', {}, routerOf(null));
  expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);
  expect(await answer.text()).toContain('npm run build');
});

test('no path leads out of the page, and the OpenAPI document does not name it', async () => {
  const { url } = await served();
  const paths = ['/assets/..%2f..%2fpackage.json', '/assets/%2e%2e%2findex.html', '/..%2findex.html', '//etc/passwd'];
  const odd = ['/assets/', '/assets/%00', '/assets/a%', '/assets/__proto__', '/constructor', '/assets/a%5c..%5cb'];
  for (const path of [...paths, ...odd]) expect([path, (await fetch(url + path)).status]).toEqual([path, 404]);
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as { readonly paths: object };
  const shown = Object.keys(document.paths).filter((path) => /^\/(?:assets.*|log.*)?$/.test(path));
  expect(shown).toEqual([]);
  expect((await fetch(`${(await served(undefined, { dashboard: false })).url}/`)).status).toBe(404);
});
