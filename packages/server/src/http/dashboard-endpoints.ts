import type { BuiltPage } from '../static/built-page.ts';
import type { PageFile } from '../static/page-file.ts';
import { type Call, type Endpoint, endpoint } from './endpoint.ts';
import { headerOf } from './host-environment.ts';
import { notFound } from './problem.ts';

/** The page loads nothing from elsewhere, runs no script that is not a file of its own, and stands in no frame. */
export const dashboardHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** The dashboard: `/` and the files that it loads. They have no data of the pool, so they need no token. */
export function dashboardEndpoints(page: BuiltPage | null): Endpoint[] {
  if (page === null) return [hidden('/', () => new Response(missing, { status: 404, headers: missingHeaders }))];
  const icon = [...page.keys()].find((name) => name.endsWith('.svg')) ?? '';
  const others = [...page.keys()].filter((name) => name !== 'index.html' && !name.startsWith('assets/'));
  return [
    hidden('/', (call) => sent(page.get('index.html'), call)),
    hidden('/assets/{file}', (call) => sent(page.get(`assets/${call.params.file}`), call)),
    // Browsers ask for it beside pages that name no icon.
    hidden('/favicon.ico', (call) => sent(page.get(icon), call)),
    ...others.map((name) => hidden(`/${name}`, (call) => sent(page.get(name), call))),
  ];
}

const missing = `The dashboard of this server is not built.
In a clone of the repository, npm run build makes it. To serve the API alone, set dashboard = false in [server].
`;
const missingHeaders = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };

/** A page for people is not in the OpenAPI document. */
export function hidden(path: string, answer: Endpoint['answer']): Endpoint {
  return endpoint({
    method: 'get',
    path,
    summary: 'The dashboard',
    tag: 'server',
    isHidden: true,
    scopes: [],
    answers: {},
    answer,
  });
}

/** Answers with a file, or that the client has it. @throws `Problem` 404 if there is no such file */
export async function sent(file: PageFile | undefined, { request, environment }: Call): Promise<Response> {
  if (file === undefined) throw notFound('There is no such path.');
  const encoding = file.encodingFor(headerOf(request, environment, 'accept-encoding'));
  const headers: Record<string, string> = {
    ...dashboardHeaders,
    'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: file.tag(encoding),
    vary: 'Accept-Encoding',
  };
  const known = headerOf(request, environment, 'if-none-match');
  if (known !== undefined && hasTag(known, file.tag(encoding))) return new Response(null, { status: 304, headers });
  if (encoding !== 'identity') headers['content-encoding'] = encoding;
  return new Response(await file.encoded(encoding), { headers: { ...headers, 'content-type': file.type } });
}

/** A proxy may have made a strong tag a weak one. */
function hasTag(header: string, tag: string): boolean {
  return header.split(',').some((each) => each.trim().replace(/^W\//, '') === tag);
}
