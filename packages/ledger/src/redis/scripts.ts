import { onPrimary, type Script, scriptOf } from 'mempool-redis/backend';
import { readLua } from './lua-text.ts';

/** The two stored values of a wallet. */
export type WalletRow = readonly [about: Buffer, balance: Buffer];
/** A record: state, seq, at, id, digest, result, content. An empty content means that of the request. */
export type TransferRow = readonly [
  state: Buffer,
  seq: number,
  at: number,
  id: Buffer,
  digest: Buffer,
  result: Buffer,
  content: Buffer,
];
/** An entry of the log. Names and values alternate in `fields`. */
export type LogEntry = readonly [id: Buffer, fields: readonly Buffer[]];
type AnswerRow =
  | readonly [outcome: Buffer, replayed: number, ...TransferRow]
  | readonly [outcome: Buffer, replayed: number];

/** The answers of the scripts, described in the head of each file. */
interface Replies {
  probe: Buffer | readonly [command: Buffer, words: Buffer];
  open: Buffer;
  execute: readonly AnswerRow[];
  settle: readonly [outcome: Buffer, ...TransferRow[]];
  createWallet: readonly [outcome: Buffer, replayed: number, ...WalletRow];
  setTags: readonly [outcome: Buffer, ...Partial<WalletRow>];
  closeWallet: readonly [outcome: Buffer, ...Partial<WalletRow>];
  due: readonly Buffer[];
  expire: number;
  trim: readonly [count: number, more: number];
  wallet: WalletRow | readonly [];
  wallets: readonly [next: number, ...rows: Buffer[]];
  transfer: TransferRow | readonly [];
  transfers: readonly TransferRow[];
  records: readonly [first: number, head: number, before: Buffer, entries: readonly LogEntry[]];
  marks: readonly Buffer[];
  markPage: readonly [next: Buffer, ...rows: Buffer[]];
  openings: readonly [next: Buffer, ...rows: Buffer[]];
}
export type Verb = keyof Replies;
export type Reply<V extends Verb> = Replies[V];

const textsOf = (parts: readonly string[]): string[] => parts.map((part) => readLua(`${part}.lua`));
const named = (writes: boolean, ...parts: readonly string[]): Script => scriptOf(writes, ...textsOf(parts));
const reading = (...parts: readonly string[]): Script =>
  scriptOf(false, ...textsOf(['keys', 'state']), onPrimary, ...textsOf(parts));
const writing = (...parts: readonly string[]): Script =>
  named(true, 'keys', 'state', 'amount', 'balance', 'record', 'index', 'static', 'step', 'write', ...parts);

/** Each verb is one script. */
export const scripts: { readonly [V in Verb]: Script } = {
  probe: named(false, 'probe'),
  open: named(true, 'keys', 'open'),
  execute: writing('move', 'resolve', 'execute'),
  settle: writing('move', 'resolve', 'settle'),
  createWallet: writing('create-wallet'),
  setTags: writing('set-tags'),
  closeWallet: writing('close-wallet'),
  due: reading('due'),
  expire: writing('resolve', 'expire'),
  trim: named(true, 'keys', 'state', 'amount', 'balance', 'record', 'trim'),
  wallet: reading('wallet'),
  wallets: reading('index', 'wallets'),
  transfer: reading('record', 'transfer'),
  transfers: reading('balance', 'record', 'transfers'),
  records: reading('records'),
  marks: reading('marks'),
  markPage: reading('mark-page'),
  openings: reading('index', 'static', 'openings'),
};

const names = [
  'meta',
  'log',
  'ids',
  'wallets',
  'balances',
  'index',
  'history',
  'due',
  'refusals',
  'openings',
  'marks',
] as const;

/** Returns the keys of a ledger, in the order of lua/keys.lua. */
export function ledgerKeys(base: string): string[] {
  return names.map((name) => `${base}:${name}`);
}
