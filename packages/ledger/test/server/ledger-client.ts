import type { Ledger } from 'mempool-ledger';
import type { OpenedLedger } from 'mempool-ledger/server';
import type { RunningServer } from 'mempool-server';
import { bearer, served } from '../../../server/test/http/served.ts';

/** The answer of a path of the ledger. */
export interface Answer {
  readonly status: number;
  readonly replayed: boolean;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The ledger of a server, as one token uses it. */
export class LedgerClient {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, token?: string) {
    this.#url = `${url}/api/v1/ledger`;
    this.#headers = token === undefined ? {} : bearer(token);
  }

  get(path: string): Promise<Answer> {
    return this.#ask('GET', path, undefined, {});
  }

  send(method: 'POST' | 'PATCH', path: string, body: unknown, key?: string): Promise<Answer> {
    return this.#ask(method, path, JSON.stringify(body), key === undefined ? {} : { 'idempotency-key': key });
  }

  post(path: string, body: unknown, key?: string): Promise<Answer> {
    return this.send('POST', path, body, key);
  }

  /** Events from a position on. */
  events(after: string): Promise<Response> {
    return fetch(`${this.#url}/events?after=${after}`, { headers: this.#headers });
  }

  /** Makes a wallet with money of the vault in it. */
  async fund(id: string, owner: string, amount: string): Promise<void> {
    await this.post('/wallets', { id, owner });
    const answer = await this.post('/transfers', { source: '~vault', destination: id, amount }, `fund-${id}`);
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  }

  async #ask(method: string, path: string, body: string | undefined, more: Readonly<Record<string, string>>) {
    const headers = { ...this.#headers, 'content-type': 'application/json', ...more };
    const response = await fetch(this.#url + path, { method, headers, ...(body === undefined ? {} : { body }) });
    const replayed = response.headers.get('idempotency-replayed') === 'true';
    return { status: response.status, replayed, body: (await response.json()) as Answer['body'] };
  }
}

/** A server with a ledger, for this test alone. */
export async function ledgerServer(ledger: object = {}): Promise<{ server: RunningServer; client: LedgerClient }> {
  const server = await served(undefined, {}, {}, {}, { ledger: { currency: 'ADA', ...ledger } });
  return { server, client: new LedgerClient(server.url) };
}

/** The ledger of a server. */
export function ledgerOf({ extensions }: RunningServer): Ledger | undefined {
  return (extensions.get('ledger') as OpenedLedger | undefined)?.ledger;
}
