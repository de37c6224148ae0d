import { type Call, type Endpoint, endpoint } from './endpoint.ts';
import { headerOf } from './host-environment.ts';
import type { PageFile } from './page-file.ts';
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

const missingHeaders = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };

/** `/` where the server has no page: says what to do. */
export function missingPage(
  text: string = 'This server has no dashboard: npm install mempool-dashboard\nTo serve the API alone, set dashboard = false in [server].\n',
): Endpoint {
  return hidden('/', () => new Response(text, { status: 404, headers: missingHeaders }));
}

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
