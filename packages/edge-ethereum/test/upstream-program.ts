/**
 * A small Ethereum node in a process of its own: accounts, and blocks that the test gives it. `test_mode` makes it answer
 * wrongly. It prints its URL.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Block {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly transactions: readonly unknown[];
}
type Mode =
  | 'well'
  | 'hang'
  | 'other-id'
  | 'huge'
  | 'no-json'
  | 'no-rpc'
  | 'no-result'
  | 'odd-result'
  | 'broken-off'
  | 'fault';

const accounts = new Map<string, { nonce: string; balance: string }>();
const blocks: Block[] = [];
let made = 0;
/** So many of the last blocks are not seen yet. */
let behind = 0;
let asked = 0;
let mode: Mode = 'well';

function addBlock(transactions: readonly unknown[]): Block {
  made += 1;
  const parentHash = blocks.at(-1)?.hash ?? `0x${'0'.repeat(64)}`;
  const hash = `0x${made.toString(16).padStart(64, '0')}`;
  const block = { number: `0x${blocks.length.toString(16)}`, hash, parentHash, transactions };
  blocks.push(block);
  return block;
}
addBlock([]);

function account(address: unknown): { nonce: string; balance: string } {
  return accounts.get(String(address)) ?? { nonce: '0x0', balance: '0xffffffffffffffffffff' };
}

const methods: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
  eth_getTransactionCount: ([address]) => account(address).nonce,
  eth_getBalance: ([address]) => account(address).balance,
  eth_blockNumber: () => blocks.at(-1)?.number,
  eth_getBlockByNumber: ([tag]) => {
    asked += 1;
    const seen = blocks.slice(0, blocks.length - behind);
    return (tag === 'latest' ? seen.at(-1) : seen[Number(tag)]) ?? null;
  },
  eth_getBlockByHash: ([hash]) => blocks.find((block) => block.hash === hash) ?? null,
  eth_getTransactionByHash: () => null,
  eth_getTransactionReceipt: () => null,
  eth_getFilterChanges: () => ['of the upstream'],
  eth_chainId: () => '0x7a69',
  eth_gasPrice: () => '0x3b9aca00',
  admin_peers: () => [],
  test_account: ([address, given]) => accounts.set(String(address), { ...account(address), ...Object(given) }).size,
  test_block: (transactions) => addBlock(transactions).hash,
  test_undo: ([count]) => blocks.splice(-Number(count)).length,
  /** Returns how often a block was asked for before. */
  test_lag: ([count]) => {
    behind = Number(count);
    return asked;
  },
  test_asked: () => asked,
  test_mode: ([given]) => {
    mode = given as Mode;
    return mode;
  },
};

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Ends the response with what a mode says. */
type Wrong = (response: ServerResponse, id: number) => void;

const wrongAnswers: Readonly<Record<Exclude<Mode, 'well'>, Wrong>> = {
  hang: () => undefined,
  'other-id': (response, id) => endJson(response, { id: id + 1, result: '0x1' }),
  huge: (response) => {
    response.write('"');
    for (let i = 0; i < 33; i += 1) response.write('a'.repeat(1024 * 1024));
    response.end('"');
  },
  'no-json': (response) => {
    response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>');
  },
  'no-rpc': (response) => {
    response.end('[1]');
  },
  'no-result': (response, id) => endJson(response, { id }),
  'odd-result': (response, id) => endJson(response, { id, result: { lie: true } }),
  'broken-off': (response) => {
    response.write('{"jsonrpc":');
    setImmediate(() => response.destroy());
  },
  fault: (response, id) => {
    const { host } = response.req.headers;
    endJson(response, { id, error: { code: -32050, message: `${host}${response.req.url} is over its limit` } });
  },
};

function endJson(response: ServerResponse, body: object): void {
  response.end(JSON.stringify({ jsonrpc: '2.0', ...body }));
}

function answer(text: string, response: ServerResponse): void {
  const { id, method, params } = JSON.parse(text) as Request;
  const run = methods[method];
  if (mode !== 'well' && !method.startsWith('test_')) wrongAnswers[mode](response, id);
  else if (run !== undefined) endJson(response, { id, result: run(params) });
  else endJson(response, { id, error: { code: -32601, message: `unknown method ${method}`, data: { method } } });
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => answer(Buffer.concat(chunks).toString(), response));
});
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/secret-key`);
});
