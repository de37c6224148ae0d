import { MempoolError, type PoolDump, type Transaction } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Reply, Verb } from '../connection/script.ts';
import type { Argument } from '../connection/script-call.ts';
import { readLimit } from './fifo-limits.ts';
import { limitsOf, recordsOf } from './loaded-pool.ts';
import { loadPages, positionOf } from './loader.ts';
import * as namedRecord from './named-record.ts';
import { decodeRecord, packHashes } from './record.ts';

/** Sends one script. */
export type Send = <V extends Verb>(verb: V, args: readonly Argument[]) => Promise<Reply<V>>;

/** A pool that other nodes change may be another one after each page. */
const attempts = 5;
const pageRecords = 1_000;
const pageHashes = 1_000;

/** The scripts that read a pool of one ordering, and the functions that make its dump. */
interface Reading {
  readonly send: Send;
  readonly load: 'load' | 'loadFifo';
  readonly ordering: 'fifo' | 'priority';
}

/**
 * Reads a pool page by page and returns its dump (D3). If the pool changes meanwhile, it reads again.
 *
 * @throws `ERR_MEMPOOL_CORRUPT`; `ERR_MEMPOOL_UNAVAILABLE` if others change the pool faster than it can be read
 */
export async function dumpWhole(reading: Reading): Promise<PoolDump> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const dump = await attemptDump(reading);
    if (dump !== null) return dump;
  }
  throw new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'the pool changes faster than it can be read');
}

async function attemptDump({ send, load, ordering }: Reading): Promise<PoolDump | null> {
  const [lastVersion] = await send('recordNumbers', []);
  const loaded = await loadPages((...page) => send(load, page));
  if (loaded === null) return null;
  const pool = core.wholePool(ordering);
  for (const record of recordsOf(loaded, ordering === 'fifo' ? damagedButEntry : damaged))
    if (ordering === 'priority' || !isRanked(record)) pool.restore(record);
  if (ordering === 'priority') pool.restore({ kind: 'limits', limits: limitsOf(loaded) });
  const claims = ordering === 'fifo' ? await readClaims(send, pool) : null;
  if (claims !== null) pool.memory.fifo.restore(claims);
  for await (const record of readRecords(send)) pool.restore({ kind: 'record', record });
  if (lastVersion > 0) pool.restore({ kind: 'version', lastVersion });
  const bodies = await readBodies(send, hashesIn(pool));
  const [[version], head] = [await send('recordNumbers', []), await send(load, ['head', '0', 1])];
  if (version !== lastVersion || !core.samePosition(positionOf(head), loaded.position)) return null;
  return core.dumpOfWhole(pool, (body) => bodies.get(body.hash) ?? body);
}

function damaged(_what: string, hash: string): never {
  throw core.corrupt({ hash, seq: 0 });
}

/** A fifo pool has no entries. */
function damagedButEntry(what: string, hash: string): void {
  if (what !== 'entry') damaged(what, hash);
}

function isRanked({ kind }: core.PoolRecord): boolean {
  return kind === 'limits' || kind === 'gossip' || kind === 'satisfied' || kind === 'entry';
}

/** The hashes of all transactions whose payload belongs into the dump. */
function hashesIn(pool: core.WholePool): string[] {
  const hashes: string[] = [];
  for (const record of pool.dump())
    if (record.kind === 'write' && record.write.body !== null) hashes.push(record.write.body.hash);
  return hashes;
}

async function readBodies(send: Send, hashes: readonly string[]): Promise<Map<string, Transaction>> {
  const bodies = new Map<string, Transaction>();
  for (let at = 0; at < hashes.length; ) {
    const found = await send('payloads', [packHashes(hashes.slice(at, at + pageHashes)), core.maxPageBytes]);
    for (const record of found) {
      const hash = hashes[at] as string;
      const { intact, ...body } = decodeRecord(record);
      if (!intact) throw core.corrupt({ hash, seq: 0 });
      bodies.set(hash, { hash, ...body });
      at += 1;
    }
  }
  return bodies;
}

async function* readRecords(send: Send) {
  for (let after = ''; ; ) {
    const query = { prefix: '', after, limit: pageRecords };
    const rows = await send('listRecords', namedRecord.pageArguments(query));
    for (const row of rows) {
      const { isIntact, ...record } = namedRecord.decode(...row);
      if (!isIntact) throw core.damagedRecord(record.name);
      yield record;
      after = record.name;
    }
    if (rows.length === 0) return;
  }
}

async function readClaims(send: Send, { memory }: core.WholePool): Promise<core.FifoRecord | null> {
  const [maxTxs, acceptUntil, ...rows] = await send('claimList', []);
  const claimed = rows.map(([id, owner, until, bytes]) => {
    const claim = { id: String(id), owner: String(owner), untilMs: Number(until) };
    const hash = core.bytesToHash(bytes);
    return [claim, hash, memory.txState(hash)?.seq ?? 0] as const;
  });
  return core.fifoRecord({ maxTxs: readLimit(maxTxs), acceptUntil: readLimit(acceptUntil) }, core.lotsOf(claimed));
}
