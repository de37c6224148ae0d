import type { Problem } from 'mempool-server/edge';

/** Blockfrost's words for its codes. Codes that it does not have keep those of HTTP. */
const words: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  421: 'Misdirected Request',
  425: 'Mempool Full',
  429: 'Project Over Limit',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** The codes of problems that Blockfrost says with another one. Without a valid token it answers 403. */
const codes: Readonly<Record<number, number>> = { 401: 403, 409: 400, 410: 400, 422: 400, 507: 425 };

/** A problem in the form of Blockfrost's errors. */
export function blockfrostError({ status, message, headers }: Problem): Response {
  const code = codes[status] ?? status;
  const body = { status_code: code, error: words[code] ?? 'Error', message: messages[status] ?? message };
  return Response.json(body, { status: code, headers: { ...headers, 'cache-control': 'no-store' } });
}

const messages: Readonly<Record<number, string>> = {
  401: 'Invalid project token.',
  507: 'Mempool is full, please try resubmitting again later.',
};
