import { hash as digest } from 'node:crypto';
import type { Mempool, ReceiveOutcome } from 'mempool-core';
import type { Scope, WaitingList } from 'mempool-server/edge';
import { nodeStatus, type StatusParts } from './node-status.ts';
import { invalidParams, refusedByPool } from './rpc-fault.ts';
import type { ParamName, RpcParams } from './rpc-params.ts';

/** One method. */
export interface RpcMethod {
  /** The parameters, in their order in a list. */
  readonly params: readonly ParamName[];
  readonly scope: Scope | null;
  /** True if the method changes the pool. */
  readonly writes: boolean;
  /** Runs the method. @throws `RpcFault`; the pool's error */
  call(params: RpcParams): Promise<object>;
}

/** The parts that the methods need. */
export interface MethodParts {
  readonly pool: Mempool;
  readonly list: WaitingList;
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
    ['check_tx', { params: ['tx'], scope: 'submit', writes: false, call: async ({ tx }) => checkAnswer(tx) }],
    ['unconfirmed_txs', { params: ['limit'], ...reads, call: ({ limit }) => unconfirmed(parts, limit) }],
    ['num_unconfirmed_txs', { params: [], ...reads, call: () => counted(parts) }],
  ]);
}

/** @throws the pool's error if the store does not answer */
async function healthy(pool: Mempool): Promise<object> {
  await pool.tip();
  return {};
}

async function status({ pool, server }: MethodParts): Promise<object> {
  const { point, epoch } = await pool.tip();
  return nodeStatus({ ...server(), tip: point, epoch });
}

/** @throws `RpcFault` in CometBFT's words if the pool has it already, is full, or takes none of this size */
async function submitted(pool: Mempool, tx: Uint8Array): Promise<ReceiveOutcome> {
  if (tx.length === 0) throw invalidParams('error converting params to arguments: tx is empty');
  const outcome = await pool.submit({ hash: digest('sha256', tx, 'hex'), payload: tx });
  if (outcome.kind === 'duplicate') throw refusedByPool('tx already exists in cache');
  if (outcome.kind === 'too-large')
    throw refusedByPool(`Tx too large. Max size is ${outcome.maxTxBytes}, but got ${tx.length}`);
  if (outcome.kind === 'full') {
    const { pending, propagated, acknowledged } = await pool.usage();
    throw refusedByPool(`mempool is full: number of txs ${pending + propagated + acknowledged}`);
  }
  return outcome;
}

/** A refusal has the fields of ABCI's `CheckTx`: the application's own, or 1 of the codespace `mempool`. */
function broadcastAnswer(outcome: ReceiveOutcome): object {
  switch (outcome.kind) {
    case 'received':
    case 'duplicate':
      return sentAnswer(outcome);
    case 'refused': {
      const { code, log, data = new Uint8Array(), codespace = '' } = outcome;
      return { ...sentAnswer(outcome), code, log, codespace, data: upperHex(data) };
    }
    case 'full':
    case 'too-large':
    case 'limit':
    case 'conflict':
    case 'replacement-underpriced':
    case 'sender-limit':
    case 'cycle':
      return { ...sentAnswer(outcome), code: 1, log: outcome.kind, codespace: 'mempool' };
  }
}

/** Whatever became of it: `broadcast_tx_async` does not tell of a refusal by the application. */
function sentAnswer({ hash }: ReceiveOutcome): object {
  return { code: 0, data: '', log: '', codespace: '', hash: hash.toUpperCase() };
}

function upperHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').toUpperCase();
}

/** The pool has no application to ask, so all bytes pass. */
function checkAnswer(tx: Uint8Array): object {
  if (tx.length === 0) throw invalidParams('error converting params to arguments: tx is empty');
  return { code: 0, data: null, log: '', info: '', gas_wanted: '0', gas_used: '0', events: [], codespace: '' };
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
