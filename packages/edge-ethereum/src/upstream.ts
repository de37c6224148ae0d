import { isTable } from 'mempool-core/backend';
import { RpcError, rpcCodes, wrongParams } from './rpc-error.ts';

/** An answer takes at most so long. */
const timeoutMs = 10_000;
/** A larger answer is not read to its end. */
const maxAnswerBytes = 32 * 1024 * 1024;
/** At most so many calls wait for the upstream at once. */
const maxCalls = 512;

/** Answers calls of JSON-RPC, as an Ethereum node does. */
export type ChainCalls = Pick<Upstream, 'call'>;

/** An Ethereum node that answers the calls that the pool cannot. Its URL may contain a key, so no error contains the URL. */
export class Upstream {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #secrets: readonly string[];
  readonly #stopping: AbortSignal;
  #nextId = 1;
  #calls = 0;

  /** @param stopping ends all calls */
  constructor(given: string, stopping: AbortSignal) {
    const url = new URL(given);
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    const authorization = user === ':' ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` };
    this.#secrets = [given, url.href, `${url.pathname}${url.search}`, url.password, url.host].filter(
      (part) => part.length > 3,
    );
    url.username = '';
    url.password = '';
    this.#url = url.href;
    this.#headers = { 'content-type': 'application/json', ...authorization };
    this.#stopping = stopping;
  }

  /**
   * Calls a method of the upstream. Returns the `result` of its answer.
   * @throws `RpcError` with the upstream's own error, or −32002 if there is no valid answer in time
   */
  async call(method: string, params: unknown = []): Promise<unknown> {
    if (this.#calls >= maxCalls) throw new RpcError(rpcCodes.limit, 'too many calls wait for the upstream');
    this.#calls += 1;
    try {
      const id = this.#nextId++;
      const answer = await this.#post(requestText({ jsonrpc: '2.0', id, method, params }));
      return this.#result(answer, id);
    } finally {
      this.#calls -= 1;
    }
  }

  async #post(body: string): Promise<unknown> {
    const signal = AbortSignal.any([this.#stopping, AbortSignal.timeout(timeoutMs)]);
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: this.#headers,
        body,
        signal,
        redirect: 'error',
      });
      return answerOf(await limitedText(response), response.status);
    } catch (error) {
      if (error instanceof RpcError) throw error;
      if (this.#stopping.aborted) throw unavailable('the server stops');
      throw unavailable(signal.aborted ? `no answer within ${timeoutMs / 1000} seconds` : 'it cannot be reached');
    }
  }

  #result(answer: unknown, id: number): unknown {
    if (!isTable(answer) || answer.jsonrpc !== '2.0') throw unavailable('its answer is not JSON-RPC 2.0');
    if (isTable(answer.error)) throw this.#errorOf(answer.error);
    if (answer.id !== id) throw unavailable('it answers another request');
    if (!Object.hasOwn(answer, 'result')) throw unavailable('its answer has neither result nor error');
    return answer.result;
  }

  /** Its own error, which clients understand. */
  #errorOf({ code, message, data }: Readonly<Record<string, unknown>>): RpcError {
    const text = typeof message === 'string' ? message : 'the upstream refuses the call';
    const known = Number.isSafeInteger(code) ? (code as number) : rpcCodes.refused;
    const isClean = !this.#secrets.some((secret) => JSON.stringify(data)?.includes(secret));
    return new RpcError(known, this.#withoutSecrets(text), isClean ? data : undefined);
  }

  #withoutSecrets(text: string): string {
    return this.#secrets.reduce((left, secret) => left.replaceAll(secret, '…'), text).slice(0, 4_096);
  }
}

/** @throws `RpcError` −32602 if it is nested deeper than the stack: it can be read, but not written */
function requestText(request: object): string {
  try {
    return JSON.stringify(request);
  } catch {
    throw wrongParams('the parameters are nested too deeply');
  }
}

/** The upstream did not answer as it should. It may later. */
function unavailable(why: string): RpcError {
  return new RpcError(rpcCodes.unavailable, `the upstream is not available: ${why}`);
}

async function limitedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw unavailable(`its answer is larger than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes).toString('utf8');
}

function answerOf(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unavailable(status === 200 ? 'its answer is not JSON' : `it answers with the HTTP status ${status}`);
  }
}
