import { hash as digest } from 'node:crypto';
import type { DropReason, Mempool, ReceiveOutcome } from 'mempool-core';
import type { Gate, Scope, WaitingList } from 'mempool-server/edge';
import type { BlockTransactions } from './block-transactions.ts';
import { abciInfo, netInfo, nodeStatus, type StatusParts } from './node-status.ts';
import { invalidParams, refusedByPool } from './rpc-fault.ts';
import type { ParamName, RpcParams } from './rpc-params.ts';
import { hashOfQuery } from './rpc-query.ts';
import { passed, txAnswer } from './tx-answers.ts';

/** The caller of a method. */
interface RpcCaller extends WaitingCaller {
  /** The id of the call. */
  readonly id: string | number;
}

/** A caller that can wait. */
export type WaitingCaller = Parameters<Gate['waits']['wait']>[0];

/** One method. */
export interface RpcMethod {
  /** The parameters, in their order in a list. */
  readonly params: readonly ParamName[];
  readonly scope: Scope | null;
  /** True if the method changes the pool. */
  readonly writes: boolean;
  /** Runs the method. @throws `RpcFault`; the pool's error */
  call(params: RpcParams, caller: RpcCaller): Promise<object>;
}

/** The parts that the methods need. */
export interface MethodParts {
  readonly pool: Mempool;
  readonly list: WaitingList;
  readonly waits: Gate['waits'];
  readonly blocks: BlockTransactions;
  /** Returns the data about the server for `status`. */
  readonly server: () => Pick<StatusParts, 'chainId' | 'rpcAddress'>;
}

/** The methods, by name. */
export function rpcMethods(parts: MethodParts): ReadonlyMap<string, RpcMethod> {
  const { pool } = parts;
  const reads = { scope: 'read', writes: false } as const;
  const submits = { params: ['tx'], scope: 'submit', writes: true } as const;
  return new Map<string, RpcMethod>([
    ['health', { params: [], scope: null, writes: false, call: async () => healthy(pool) }],
    ['status', { params: [], ...reads, call: () => status(parts) }],
    ['broadcast_tx_sync', { ...submits, call: async ({ tx }) => broadcastAnswer(await submitted(pool, tx)) }],
    ['broadcast_tx_async', { ...submits, call: async ({ tx }) => sentAnswer(await submitted(pool, tx)) }],
    ['broadcast_tx_commit', { ...submits, call: ({ tx }, caller) => committed(parts, tx, caller) }],
    ['check_tx', { params: ['tx'], scope: 'submit', writes: false, call: async ({ tx }) => checkAnswer(tx) }],
    ['unconfirmed_txs', { params: ['limit'], ...reads, call: ({ limit }) => unconfirmed(parts, limit) }],
    ['num_unconfirmed_txs', { params: [], ...reads, call: () => counted(parts) }],
    ['tx', { params: ['hash', 'prove'], ...reads, call: (params) => inBlock(parts, params) }],
    ['tx_search', { params: searchParams, ...reads, call: (params) => found(parts, params) }],
    ['abci_info', { params: [], ...reads, call: async () => abciInfo((await pool.tip()).point) }],
    ['net_info', { params: [], ...reads, call: async () => netInfo }],
  ]);
}

const searchParams = ['query', 'prove', 'page', 'per_page', 'order_by'] as const;

/** @throws the pool's error if the store does not answer */
async function healthy(pool: Mempool): Promise<object> {
  await pool.tip();
  return {};
}

async function status({ pool, server }: MethodParts): Promise<object> {
  const { point, epoch } = await pool.tip();
  return nodeStatus({ ...server(), tip: point, epoch });
}

/**
 * @param prefix of the words
 * @throws `RpcFault` in CometBFT's words if the pool has it already, is full, or takes none of this size
 */
async function submitted(pool: Mempool, tx: Uint8Array, prefix = ''): Promise<ReceiveOutcome> {
  if (tx.length === 0) throw invalidParams('error converting params to arguments: tx is empty');
  const outcome = await pool.submit({ hash: digest('sha256', tx, 'hex'), payload: tx });
  if (outcome.kind === 'duplicate') throw refusedByPool(`${prefix}tx already exists in cache`);
  if (outcome.kind === 'too-large')
    throw refusedByPool(`${prefix}Tx too large. Max size is ${outcome.maxTxBytes}, but got ${tx.length}`);
  if (outcome.kind === 'full') {
    const { pending, propagated, acknowledged } = await pool.usage();
    throw refusedByPool(`${prefix}mempool is full: number of txs ${pending + propagated + acknowledged}`);
  }
  return outcome;
}

function broadcastAnswer(outcome: ReceiveOutcome): object {
  const { data, ...check } = checkOf(outcome);
  return { ...sentAnswer(outcome), ...check, data: upperHex(data) };
}

/** As CometBFT's default. */
const commitMs = 10_000;

/** Takes a transaction in, and waits for the block that has it. @throws `RpcFault` as `submitted`, or if no block has it in time */
async function committed({ pool, waits }: MethodParts, tx: Uint8Array, caller: RpcCaller): Promise<object> {
  // A wait that cannot begin is refused before the pool takes the transaction.
  const release = waits.hold();
  const outcome = await submitted(pool, tx, 'error on broadcastTxCommit: ').catch((error: unknown) => {
    release();
    throw error;
  });
  release();
  const { data, ...check } = checkOf(outcome);
  const hash = outcome.hash.toUpperCase();
  const answer = { check_tx: { ...passed, ...check, data: base64Of(data) }, tx_result: passed, hash, height: '0' };
  if (outcome.kind !== 'received') return answer;
  const [status, end] = await waits.wait(caller, { hash: outcome.hash, wait: 'Confirmed', timeoutMs: commitMs });
  if (end === 'timeout') throw refusedByPool('timed out waiting for tx to be included in a block');
  if (end === 'dropped') throw refusedByPool(`the pool dropped the tx: ${wordsOf(status.reason)}`);
  return { ...answer, height: String(status.confirmedAt?.slot ?? 0) };
}

function wordsOf(reason: DropReason | null): string {
  return typeof reason === 'object' ? (reason?.app ?? '') : reason;
}

interface Check {
  readonly code: number;
  readonly log: string;
  readonly codespace: string;
  readonly data: Uint8Array;
}

/** A refusal has the fields of ABCI's `CheckTx`: the application's own, or 1 of the codespace `mempool`. */
function checkOf(outcome: ReceiveOutcome): Check {
  const data = new Uint8Array();
  switch (outcome.kind) {
    case 'received':
    case 'duplicate':
      return { code: 0, log: '', codespace: '', data };
    case 'refused':
      return { code: outcome.code, log: outcome.log, codespace: outcome.codespace ?? '', data: outcome.data ?? data };
    case 'full':
    case 'too-large':
    case 'limit':
    case 'conflict':
    case 'replacement-underpriced':
    case 'sender-limit':
    case 'cycle':
      return { code: 1, log: outcome.kind, codespace: 'mempool', data };
  }
}

/** Whatever became of it: `broadcast_tx_async` does not tell of a refusal by the application. */
function sentAnswer({ hash }: ReceiveOutcome): object {
  return { code: 0, data: '', log: '', codespace: '', hash: hash.toUpperCase() };
}

function base64Of(bytes: Uint8Array): string | null {
  return bytes.length === 0 ? null : Buffer.from(bytes).toString('base64');
}

function upperHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').toUpperCase();
}

/** The pool has no application to ask, so all bytes pass. */
function checkAnswer(tx: Uint8Array): object {
  if (tx.length === 0) throw invalidParams('error converting params to arguments: tx is empty');
  return passed;
}

async function counted({ list }: MethodParts): Promise<object> {
  const { count, bytes } = await list.weighed();
  return { n_txs: String(count), total: String(count), total_bytes: String(bytes), txs: null };
}

const defaultLimit = 30;
const maxLimit = 100;
/** An answer ends with the transaction that goes beyond this size. */
const maxAnswerBytes = 8 * 2 ** 20;
const slice = 10;

async function unconfirmed({ pool, list }: MethodParts, limit: number | null): Promise<object> {
  const wanted = limit === null || limit < 1 ? defaultLimit : Math.min(limit, maxLimit);
  const order = await list.weighed();
  const { count, bytes } = order;
  const hashes = order.page(0, wanted).map(({ hash }) => hash);
  const txs: string[] = [];
  let left = maxAnswerBytes;
  for (let i = 0; i < hashes.length && left > 0; i += slice) {
    for (const found of await pool.payloads(hashes.slice(i, i + slice))) {
      if (found === null || left <= 0) continue;
      txs.push(Buffer.from(found.payload).toString('base64'));
      left -= found.payload.length;
    }
  }
  return { n_txs: String(txs.length), total: String(count), total_bytes: String(bytes), txs };
}

/** @throws `RpcFault` if no block has it */
async function inBlock({ blocks }: MethodParts, { hash, prove }: RpcParams): Promise<object> {
  assertNoProof(prove);
  const name = Buffer.from(hash).toString('hex');
  const transaction = hash.length === 32 ? await blocks.find(name) : null;
  if (transaction === null) throw refusedByPool(`tx (${name.toUpperCase()}) not found`);
  return txAnswer(transaction);
}

/** At most one transaction has the hash, so there is one page and one order. @throws `RpcFault` */
async function found({ blocks }: MethodParts, { query, prove, page }: RpcParams): Promise<object> {
  assertNoProof(prove);
  const hash = hashOfQuery(query);
  if (page !== null && page !== 1) throw refusedByPool(`page should be within [1, 1] range, given ${page}`);
  const transaction = await blocks.find(hash);
  const txs = transaction === null ? [] : [txAnswer(transaction)];
  return { txs, total_count: String(txs.length) };
}

function assertNoProof(prove: boolean): void {
  if (prove) throw invalidParams('a mempool has no blocks to make a proof from');
}
