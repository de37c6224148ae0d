import { luaConstants } from './lua-constants.ts';
import { type Script, scriptOf } from './lua-script.ts';
import { readLua } from './lua-text.ts';

/** For each transaction hash, seq, score, confirming point, facts, record (lua/pool/page.lua). */
export type Page = [tick: number, epoch: Buffer, ...(Buffer | null)[]];
/** For each hash, seq, bytes. */
type FifoRows = (Buffer | number)[];
/** The report of lua/priority/changes.lua on a mirror: the changes that it lacks, its version with them, and the server's time. */
export type MirrorReport = [kind: Buffer, version: number, stamp: Buffer, s: Buffer, us: Buffer, ...Buffer[]];
/** The record of an operation id. */
export type Known = [known: Buffer, record: Buffer];
/** `version`: 0 where there is none. A fenced call's second part is the tip. */
type PutReply = [kind: Buffer, version: number, at: number, ...unknown[]];
/** Another node has a ticket, for so many milliseconds. */
export type Blocked = [blocked: Buffer, ms: number];
type Synced = MirrorReport | Known | Blocked;
type Committed = Synced | OnTip<[]>;
export type LoadedPage = [next: Buffer, ...unknown[]];
type OnTip<Rest extends unknown[]> = [kind: Buffer, tip: Buffer, tick: number, ...Rest];

/** The answers of the scripts, described in the head of each file. */
interface Replies {
  probe: Buffer | [command: Buffer, words: Buffer];
  open: [epoch: Buffer, lastEventSeq: Buffer];
  remove: number;
  receive: [letters: Buffer, first: number, recorded: Buffer];
  /** A digit for each hash: 1 if the call moved it. */
  markInflight: Buffer;
  markAcknowledged: Buffer;
  complete: Buffer;
  release: Buffer;
  drop: Buffer;
  confirm: OnTip<[confirmed: number, returned: number, finalized: number, dropped: number]>;
  rollback: OnTip<[undoneOrOldest: number | Buffer, returned: number]>;
  peek: Page;
  find: Page;
  status: [tick: number, ...[score: Buffer | null, detail: Buffer | null, facts: Buffer][]];
  /** For each entry, record of its payload. */
  dump: [oldest: number, last: number, first: number, epoch: Buffer, ...(Buffer | null)[]];
  tip: [tip: Buffer, tick: number, points: Buffer[], epoch: Buffer];
  usage: [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    held: number,
    epoch: Buffer,
    oldest: Buffer,
    sentAt: number,
  ];
  reap: FifoRows;
  take: [owner: Buffer, untilMs: Buffer, ...FifoRows];
  extendClaim: [untilMs: Buffer, held: number];
  sweep: [more: number, returned: number, woken: number, ...hashes: Buffer[]];
  since: Page;
  sinceHashes: [epoch: Buffer, ...FifoRows];
  bodies: (readonly [seq: Buffer, record: Buffer | null] | null)[];
  flush: [count: number];
  setLimits: [maxTxs: Buffer];
  getRecord: [record: Buffer | null];
  listRecords: (readonly [name: Buffer, record: Buffer | null])[];
  putRecord: PutReply;
  recordNumbers: [lastVersion: number, bytes: number];
  payloads: (Buffer | null)[];
  loadFifo: [epoch: Buffer, version: number, stamp: Buffer, s: Buffer, us: Buffer, ...LoadedPage[]];
  import: [kind: Buffer, lines?: Buffer, digest?: Buffer];
  putRankedRecord: PutReply | Known;
  events: [
    epoch: Buffer,
    oldest: number,
    last: number,
    trail: Buffer,
    same: number,
    ...[last: number, packed: Buffer, at: Buffer | null][],
  ];
  commit: Committed;
  commitChain: Committed;
  sync: Synced;
  /** The same as `sync`, but sent like a write, so it is answered when enough replicas have the writes before it. */
  syncWrites: Synced;
  fetch: [MirrorReport, ...(Buffer | null)[]];
  /** After a page of a mirror that is loaded page by page comes the report on the mirror. */
  load: [epoch: Buffer, version: number, stamp: Buffer, s: Buffer, us: Buffer, ...(LoadedPage | MirrorReport)[]];
}
export type Verb = keyof Replies;
export type Reply<V extends Verb> = Replies[V];

/** Concatenates files of the folder `lua`, named without their ending. The constants precede them in a pool's script. */
export function script(writes: boolean, ...parts: readonly string[]): Script {
  const constants = parts[0] === 'pool/keys' ? [luaConstants] : [];
  return scriptOf(writes, ...constants, ...parts.map((part) => readLua(`${part}.lua`)));
}

const asked = (...parts: readonly string[]): Script =>
  script(false, 'pool/keys', 'pool/lists', 'pool/state', 'connection/primary', 'pool/entry', ...parts);
const reading = (...parts: readonly string[]): Script => asked('pool/lost', ...parts);
const before: readonly string[] = [
  'pool/keys',
  'pool/lists',
  'pool/state',
  'pool/trail',
  'pool/call-time',
  'fifo/event',
  'pool/entry',
  'pool/facts',
  'fifo/facts',
  'fifo/claims',
  'fifo/held',
];
const writing = (...parts: readonly string[]): Script => script(true, ...before, 'fifo/write', 'pool/lost', ...parts);
const mirrored = (writes: boolean, ...parts: readonly string[]): Script =>
  script(
    writes,
    'pool/keys',
    'pool/lists',
    'pool/state',
    ...(writes ? [] : ['connection/primary']),
    'pool/entry',
    'priority/changes',
    ...parts,
  );
const sync: Script = mirrored(false, 'priority/ticket', 'priority/recall', 'pool/lost', 'priority/sync');
const committing = (...fence: readonly string[]): Script =>
  mirrored(
    true,
    'priority/ticket',
    'priority/recall',
    ...fence,
    'pool/trail',
    'pool/call-time',
    'pool/lost',
    'priority/commands',
    'priority/commit',
  );
const move: Script = writing('fifo/order', 'fifo/log', 'fifo/move');

/** Each verb that writes is one script (X1). */
export const scripts: { readonly [V in Verb]: Script } = {
  probe: script(false, 'connection/probe'),
  open: script(false, 'pool/keys', 'pool/lists', 'pool/open'),
  remove: script(true, 'pool/remove'),
  receive: writing('fifo/receive'),
  markInflight: move,
  markAcknowledged: move,
  complete: move,
  release: move,
  drop: writing('fifo/order', 'fifo/log', 'fifo/drop'),
  confirm: writing('pool/fence', 'fifo/order', 'fifo/log', 'fifo/change', 'fifo/block', 'fifo/confirm'),
  rollback: writing('pool/fence', 'fifo/order', 'fifo/rollback'),
  peek: reading('pool/facts', 'pool/page', 'pool/peek'),
  find: reading('pool/facts', 'pool/page', 'pool/find'),
  status: reading('pool/facts', 'pool/status'),
  dump: reading('pool/facts', 'pool/page', 'pool/dump'),
  tip: reading('pool/tip'),
  usage: reading('pool/facts', 'pool/usage'),
  events: asked('pool/events'),
  reap: reading('fifo/reap', 'fifo/reap-page'),
  take: script(true, ...before, 'fifo/reap', 'fifo/repeated-take', 'fifo/write', 'pool/lost', 'fifo/take'),
  extendClaim: writing('fifo/extend'),
  sweep: writing('fifo/order', 'fifo/log', 'fifo/sweep'),
  since: reading('pool/facts', 'pool/page', 'fifo/waiting', 'fifo/since'),
  sinceHashes: reading('fifo/reap', 'fifo/waiting', 'fifo/since-hashes'),
  bodies: reading('fifo/bodies'),
  flush: writing('fifo/order', 'fifo/log', 'fifo/flush'),
  setLimits: writing('fifo/limits'),
  getRecord: reading('pool/records', 'pool/get-record'),
  listRecords: reading('pool/records', 'pool/list-records'),
  putRecord: writing('pool/fence', 'pool/records', 'pool/put-record'),
  recordNumbers: reading('pool/records', 'pool/record-numbers'),
  payloads: reading('pool/payloads'),
  loadFifo: reading('pool/facts', 'fifo/position', 'fifo/claim-of', 'priority/load'),
  import: script(true, 'pool/entry', 'pool/import'),
  putRankedRecord: mirrored(
    true,
    'priority/recall',
    'pool/fence',
    'pool/call-time',
    'pool/lost',
    'pool/records',
    'priority/finish',
    'pool/put-record',
  ),
  commit: committing(),
  commitChain: committing('pool/fence'),
  sync,
  syncWrites: { ...sync, writes: true },
  fetch: mirrored(false, 'pool/lost', 'priority/fetch'),
  load: mirrored(false, 'pool/lost', 'priority/load'),
};

/**
 * Returns the keys of a pool, in the order of lua/pool/keys.lua. Callers' operation ids are recorded in `ops`. The ids that this
 * package creates are recorded in `calls`, so that they do not evict the callers' ids.
 */
export function keysOf(prefix: string, record: 'ops' | 'calls' | 'both'): string[] {
  const records = record === 'both' ? ['ops', 'ops:old', 'calls', 'calls:old'] : [record, `${record}:old`];
  const names = ['meta', 'idx', 'flight', 'body', 'log', 'blocks', 'seen', 'events', ...records];
  return names.map((name) => `${prefix}:${name}`);
}

/** The keys of a fifo pool's claims (lua/fifo/claims.lua). They exist only while there are claims. */
export function claimKeysOf(prefix: string): string[] {
  return ['leases', 'taken', 'claims'].map((name) => `${prefix}:${name}`);
}

/** The keys of the application's records (lua/pool/records.lua). They exist only while there are records. */
export function recordKeysOf(prefix: string): string[] {
  return ['records', 'names'].map((name) => `${prefix}:${name}`);
}

/** The keys of a fifo pool's facts (lua/fifo/facts.lua). They exist only while there are facts. */
export function factKeysOf(prefix: string): string[] {
  return ['facts', 'sent'].map((name) => `${prefix}:${name}`);
}

/** Returns the keys of lua/pool/import.lua, by the numbers of `Commands`. */
export function importKeysOf(prefix: string, election: string): string[] {
  const [first, claims] = [priorityScriptKeysOf(prefix, 'ops', election), claimKeysOf(prefix)];
  return [...first, `${prefix}:held`, ...recordKeysOf(prefix), ...claims, ...factKeysOf(prefix)];
}

/** Returns the keys of a priority pool's scripts from the thirteenth on, in the order of lua/priority/changes.lua. */
export function priorityKeysOf(prefix: string): string[] {
  return ['entries', 'tags', 'changes'].map((name) => `${prefix}:${name}`);
}

/** Returns all keys of a priority pool's scripts. lua/pool/keys.lua recognises the ordering by their number. */
export function priorityScriptKeysOf(prefix: string, record: 'ops' | 'calls', election: string): string[] {
  return [...keysOf(prefix, record), ...leaseKeysOf(prefix, election), ...priorityKeysOf(prefix)];
}

/** The key that is written before each wait for replicas (`Replication`). */
export function waitKeyOf(prefix: string): string {
  return `${prefix}:waited`;
}

/** Returns all keys of a pool of either ordering and of this election, in the order of lua/pool/remove.lua. */
export function removedKeysOf(prefix: string, election: string): string[] {
  const [lock, lease, term, members] = electionKeys(`${prefix}:${election}`) as [string, string, string, string];
  const always = [...keysOf(prefix, 'both'), ...priorityKeysOf(prefix), members];
  const sometimes = [...claimKeysOf(prefix), ...recordKeysOf(prefix), ...factKeysOf(prefix), `${prefix}:held`];
  return [...always, ...sometimes, waitKeyOf(prefix), lock, lease, term];
}

/** The keys of an election whose names begin with `base`, in the order of lua/election/state.lua. */
export function electionKeys(base: string): string[] {
  return ['lock', 'lease', 'term', 'members'].map((name) => `${base}:${name}`);
}

/** The election's keys that lua/pool/fence.lua reads (X6). */
export function leaseKeysOf(prefix: string, election: string): string[] {
  return ['lock', 'lease'].map((name) => `${prefix}:${election}:${name}`);
}
