/** A read that failed. */
export class ReadError extends Error {
  override readonly name = 'ReadError';
  /** The HTTP status; `null` if there was no answer. */
  readonly status: number | null;

  constructor(message: string, status: number | null) {
    super(message);
    this.status = status;
  }
}

const timeoutMs = 10_000;

/**
 * Reads JSON of the API. `path` is relative to the page, so that a path prefix of a proxy stays.
 * @throws `ReadError` with the server's own words where it has some
 */
export async function readJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  try {
    response = await fetch(path, {
      headers: { accept: 'application/json' },
      // Else a browser has one window wait for another that reads the same, for its cache.
      cache: 'no-store',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw new ReadError(timeout.aborted ? 'no answer in time' : `no answer (${String(error)})`, null);
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body as T;
  throw new ReadError(detailOf(body) ?? `status ${response.status}`, response.status);
}

function detailOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('detail' in body)) return null;
  return typeof body.detail === 'string' ? body.detail : null;
}
