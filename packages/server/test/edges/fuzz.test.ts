import type { Logger } from 'mempool-core';
import type { RunningServer } from 'mempool-server';
import { Random, seed } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { served } from '../http/served.ts';
import { payment } from './payment.ts';

/** Values that programs stumble over. */
const nasty: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 2 ** 53, -(2 ** 63), 1e308, '', 'a', '\u0000', '💥', '__proto__', 'constructor'],
  ...['0x', '0xzz', '9'.repeat(400), 'x'.repeat(5_000), [], {}, [[[]]], { tx: {} }, { limit: [] }, ['YQ=='], '-0'],
];
const methods = [
  ...['broadcast_tx_sync', 'broadcast_tx_async', 'check_tx', 'unconfirmed_txs', 'num_unconfirmed_txs'],
  ...['tx', 'tx_search', 'abci_info', 'net_info'],
];
const paths = [
  '/tx/submit',
  '/mempool',
  '/mempool/',
  '/api/v0/mempool',
  '/mempool/addresses/',
  '/health',
  '/api/submit/tx',
];

/** A server with both edges, and what it logged as an error. */
async function fuzzed(ordering: string): Promise<readonly [RunningServer, unknown[]]> {
  const errors: unknown[] = [];
  const log: Logger = (level, message, details) => {
    if (level === 'error') errors.push([message, details]);
  };
  const pool = { backend: 'ephemeral', ordering, maxTxs: 200 };
  const edges = { blockfrost: { port: 0 }, cometbft: { port: 0 } };
  return [await served(pool, { maxBodyBytes: 100_000 }, { log }, edges), errors];
}

class Requests {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  blockfrost(): readonly [path: string, init: RequestInit] {
    const path = this.#random.pick(paths) + this.#random.pick(['', this.#text(), 'ab'.repeat(32), '%ff', '..%2f']);
    const query = this.#random.pick([
      '',
      `?page=${this.#text()}&count=${this.#text()}`,
      '?page=1&page=2',
      '?order=desc',
    ]);
    if (this.#random.below(2) === 0)
      return [path + query, { method: this.#random.pick(['GET', 'HEAD', 'DELETE', 'PUT']) }];
    const type = this.#random.pick(['application/cbor', 'application/cbor', 'application/json', '']);
    return [path, { method: 'POST', headers: { 'content-type': type }, body: this.#bytes() }];
  }

  cometbft(): readonly [path: string, init: RequestInit] {
    if (this.#random.below(2) === 0) return [`/${this.#method()}?tx=${this.#text()}&limit=${this.#text()}`, {}];
    const one = () => ({ jsonrpc: '2.0', id: this.#value(), method: this.#method(), params: this.#params() });
    const body = this.#random.pick([one(), one(), [one(), one(), this.#value()], this.#value()]);
    const text = JSON.stringify(body) ?? '';
    const cut = this.#random.below(8) === 0 ? text.slice(0, text.length >> 1) : text;
    return ['/', { method: 'POST', headers: { 'content-type': 'application/json' }, body: cut }];
  }

  #method(): string {
    return this.#random.below(5) === 0 ? this.#text() : this.#random.pick(methods);
  }

  #params(): unknown {
    return this.#random.pick([
      this.#value(),
      { tx: this.#value(), limit: this.#value() },
      { tx: 'YWJj' },
      [this.#value()],
    ]);
  }

  #value(): unknown {
    return this.#random.pick(nasty);
  }

  #text(): string {
    const value = this.#value();
    return encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value));
  }

  /** A transaction, whole, cut, or with a wrong byte, or no transaction at all. */
  #bytes(): Uint8Array<ArrayBuffer> {
    const inputs = [{ hash: 'ab'.repeat(32), index: this.#random.below(300) }];
    const whole = Uint8Array.from(payment({ inputs, fee: this.#random.below(1_000_000) }));
    const kind = this.#random.below(4);
    if (kind === 0) return whole.subarray(0, this.#random.below(whole.length));
    if (kind === 1) whole[this.#random.below(whole.length)] = this.#random.below(256);
    return kind === 2 ? Uint8Array.from({ length: this.#random.below(200) }, () => this.#random.below(256)) : whole;
  }
}

/** CometBFT answers these with −32603, as its own failures. */
const refusals = /tx already exists|mempool is full|Tx too large|"tx \([0-9A-F]*\) not found"|page should be within/;

test.each(['fifo', 'priority'])(`no request makes an edge on a %s pool fail (seed ${seed})`, async (ordering) => {
  const [server, errors] = await fuzzed(ordering);
  const requests = new Requests(new Random(seed));
  for (let i = 0; i < 60; i++) {
    const [path, init] = requests.blockfrost();
    const { status } = await fetch(`${server.edges.blockfrost}${path}`, init);
    expect([init.method, path, status < 500]).toEqual([init.method, path, true]);
    const [call, given] = requests.cometbft();
    const text = await (await fetch(`${server.edges.cometbft}${call}`, given)).text();
    const isRefusal = !text.includes('-32603') || refusals.test(text);
    expect([call, given.body, text, isRefusal]).toEqual([call, given.body, text, true]);
  }
  expect(errors).toEqual([]);
});

test('a body of brackets alone, a hundred thousand deep, is refused', async () => {
  const [server, errors] = await fuzzed('fifo');
  for (const bracket of ['[', '{"id":', '[]', '[[],'.repeat(3)]) {
    const body = bracket.repeat(99_999 / bracket.length);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${server.edges.cometbft}/`, { method: 'POST', headers, body });
    expect([answer.status, await answer.json()]).toMatchObject([500, { error: { code: -32700 } }]);
  }
  const nested = Uint8Array.from({ length: 99_999 }, () => 0x81);
  const headers = { 'content-type': 'application/cbor' };
  const answer = await fetch(`${server.edges.blockfrost}/tx/submit`, { method: 'POST', headers, body: nested });
  expect(answer.status).toBe(400);
  expect(errors).toEqual([]);
});
