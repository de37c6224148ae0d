import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { isMempoolError, type Mempool, type Usage } from 'mempool-core';
import { backUp } from 'mempool-node';
import type { ServerConfig } from 'mempool-server';
import { configOf, openServer } from '../target/open-target.ts';
import type { ServerTarget } from '../target/server-target.ts';
import { openExisting, StoreTarget } from '../target/store-target.ts';
import { lists, type Target, type Told } from '../target/target.ts';
import { exitCodes, Failure } from '../terminal/exit-code.ts';
import { failureOf } from '../terminal/failure-of.ts';
import { span } from '../terminal/table.ts';
import { asJson, plain, type Terminal } from '../terminal/terminal.ts';
import type { Begin } from './command.ts';

/** Adds `backup` and `doctor`. */
export function addKeeping(program: Command, begin: Begin): void {
  program
    .command('backup')
    .description('copy the SQLite file of -c into a new file, while the pool is in use, and check the copy')
    .argument('<file>', 'where to; an existing file is left alone')
    .action((file: string) => backup(begin, file));
  program
    .command('doctor')
    .description('check configuration, reachability, rights, persistence, room and records; say what to do')
    .option('--drop <hash>', 'drop this damaged transaction in flight, if you know that no block will have it')
    .action(({ drop }: { readonly drop?: string }) => doctor(begin, drop ?? null));
}

async function backup(begin: Begin, file: string): Promise<void> {
  const { terminal, place } = begin();
  const { mempool } = await configOf(place, terminal);
  if (mempool.backend === 'redis') {
    const remedy = '`mempool export` writes the pool as JSON lines, and BGSAVE of the server a snapshot';
    throw new Failure(exitCodes.refused, `a pool on Redis has no file: ${remedy}`);
  }
  const bytes = await backUp(mempool, file);
  await terminal.answer({ file, bytes, checked: true }, () => `wrote and checked ${bytes} bytes: ${file}`);
}

/** The result of one check. */
interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  readonly remedy: string | null;
}

type Findings = AsyncGenerator<Finding, undefined>;

async function doctor(begin: Begin, drop: string | null): Promise<void> {
  const { terminal, place } = begin();
  let failed = 0;
  const server = await openServer(place, terminal);
  if (server !== null && drop !== null)
    throw new Failure(exitCodes.usage, 'only the store knows what is damaged: give -c instead of --url');
  const findings =
    server === null ? storeFindings(configOf(place, terminal), drop, terminal) : serverFindings(server, terminal);
  for await (const finding of findings) {
    await terminal.answer(finding, (style) => findingText(finding, style));
    if (finding.state === 'fail') failed += 1;
  }
  if (failed > 0) throw new Failure(exitCodes.failed, `checks that failed: ${failed}`);
}

const styles = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

function findingText({ check, state, detail, remedy }: Finding, style: Terminal['style']): string {
  const text = `${style(styles[state], state.padEnd(4))}  ${check.padEnd(13)}  ${plain(detail)}`;
  return remedy === null ? text : `${text}\n      → ${plain(remedy)}`;
}

function ok(check: string, detail: string): Finding {
  return { check, state: 'ok', detail, remedy: null };
}

function warning(check: string, detail: string, remedy: string | null): Finding {
  return { check, state: 'warn', detail, remedy };
}

/** The finding that an error is. */
function failing(check: string, error: unknown): Finding {
  const { message, code } = failureOf(error);
  return { check, state: 'fail', detail: message, remedy: code === null ? null : (remedies[code] ?? null) };
}

const remedies: Readonly<Record<string, string>> = {
  ERR_MEMPOOL_CONFIG: 'correct the field; `mempool config schema` lists all',
  ERR_MEMPOOL_UNAVAILABLE: 'start the store, or correct path, url, cluster or sentinels',
  ERR_MEMPOOL_AUTH: 'correct user and password in url, or those at the Sentinels',
  ERR_MEMPOOL_PERMISSION: 'grant the command to the user; the README of mempool-redis lists what a pool needs',
  ERR_MEMPOOL_INCOMPATIBLE: 'use the version, the pool name and the ordering that the pool was made with',
  ERR_MEMPOOL_CORRUPT: 'put back a backup, or export what can be read',
  ERR_MEMPOOL_UNSUPPORTED: 'name a single server in url, nodes of a Redis Cluster in cluster, Sentinels in sentinels',
  ERR_MEMPOOL_INVALID: 'correct the option that the message names',
  ERR_MEMPOOL_READ_ONLY: 'make the file writable, or take the url of the primary',
  ERR_MEMPOOL_IN_USE: 'stop the other process, or ask its server with --url',
  ERR_MEMPOOL_STORE_FULL: 'make room: disk, maxmemory',
};

async function* storeFindings(loading: Promise<ServerConfig>, drop: string | null, terminal: Terminal): Findings {
  const warnings: Finding[] = [];
  const damaged: Damaged[] = [];
  let config: ServerConfig;
  try {
    config = await loading;
    yield ok('configuration', `backend ${config.mempool.backend}`);
  } catch (error) {
    return void (yield failing('configuration', error));
  }
  let pool: Mempool;
  try {
    // What the store warns of when it is opened: eviction policy, persistence. Damage is reported when it is read.
    pool = await openExisting(config, (level, detail, fields) => {
      if (isDamage(fields)) damaged.push(fields);
      else if (level === 'warn') warnings.push(warning('store', detail, null));
    });
  } catch (error) {
    return void (yield failing('store', error));
  }
  await using target = new StoreTarget(pool, config);
  yield ok('store', 'reachable, and its format is known');
  yield* warnings;
  yield* failingOver(config);
  yield* room(config);
  yield* writing(pool);
  yield* content(target, terminal);
  for (const record of damaged) yield await damageFinding(pool, record);
  if (drop !== null) yield await dropFinding(pool, drop, damaged);
  yield* records(pool);
}

/** What a fail-over costs is a choice that no error tells of. */
function* failingOver({ mempool: { sentinels, minReplicas = 0 } }: ServerConfig): Generator<Finding, undefined> {
  if (sentinels === undefined) return;
  if (minReplicas > 0) return void (yield ok('fail-over', `writes wait for ${minReplicas} of the replicas`));
  const detail = 'writes wait for no replica: a fail-over may lose the last answered ones';
  yield warning('fail-over', detail, 'set min_replicas');
}

const scarceBytes = 2 ** 30;

async function* room({ mempool: { backend, path } }: ServerConfig): Findings {
  if (!backend.startsWith('sqlite') || path === undefined) return;
  const { bavail, bsize } = await statfs(dirname(path));
  const free = `${((bavail * bsize) / 2 ** 30).toFixed(1)} GiB free on the disk`;
  if (bavail * bsize >= scarceBytes) yield ok('room', free);
  else yield warning('room', free, 'make room: a full disk refuses every write');
}

/** A write that a record of this version would have to exist for, so nothing changes. */
async function* writing(pool: Mempool): Findings {
  try {
    await pool.putRecord('mempool-doctor', null, { version: Number.MAX_SAFE_INTEGER });
    yield ok('rights', 'reads and writes are allowed');
  } catch (error) {
    yield failing('rights', error);
  }
}

const longInflightMs = 3_600_000;

/** Reads every transaction, and looks at how full the pool is. */
async function* content(target: Target, { signal }: Terminal): Findings {
  try {
    let count = 0;
    for (const list of lists.filter((each) => each !== 'best' && each !== 'parked'))
      for await (const _ of target.list(list, { signal })) count += 1;
    yield ok('transactions', `${count} can be read`);
    yield* fullness(await target.usage({ signal }));
  } catch (error) {
    if (signal.aborted) throw error;
    yield failing('transactions', error);
  }
}

/** A report of damage, as a pool gives it to its log (M2). */
interface Damaged {
  readonly hash: string;
  readonly seq?: number;
  readonly logSeq?: number;
}

function isDamage(fields: object | undefined): fields is Damaged {
  return fields !== undefined && 'hash' in fields && ('seq' in fields || 'logSeq' in fields);
}

async function damageFinding(pool: Mempool, record: Damaged): Promise<Finding> {
  const { hash, logSeq } = record;
  const finding = { check: 'transactions', state: 'fail', detail: `damaged: ${asJson(record)}` } as const;
  if (logSeq !== undefined) return { ...finding, remedy: 'an entry of the log: it goes when the log is trimmed' };
  if (hash === '') return { ...finding, remedy: 'put back a backup' };
  const { stage } = await pool.status(hash);
  const isWaiting = stage === 'Pending' || stage === 'Dropped';
  const remedy = isWaiting
    ? 'the pool drops it with its next write: submit it again'
    : `it ends with its blocks; if you know that no block will have it: mempool doctor --drop ${hash}`;
  return { ...finding, remedy };
}

async function dropFinding(pool: Mempool, hash: string, damaged: readonly Damaged[]): Promise<Finding> {
  const check = 'drop';
  if (!damaged.some((record) => record.hash === hash && record.logSeq === undefined))
    return { check, state: 'fail', detail: `${hash} is not damaged`, remedy: `mempool drop ${hash}` };
  if (await pool.drop(hash, 'damaged')) return ok(check, `${hash} was dropped`);
  const { stage } = await pool.status(hash);
  if (stage === 'Dropped') return ok(check, `${hash} was dropped`);
  return { check, state: 'fail', detail: `${hash} is ${stage}`, remedy: 'a block has it: it ends with its blocks' };
}

function* fullness({ load, oldestInflight }: Told<Usage>): Generator<Finding, undefined> {
  if (load !== undefined) {
    const { transactions, bytes } = load.headroom;
    const isFull = Number(transactions) <= 0 || Number(bytes) <= 0;
    const detail = `room for ${transactions} transactions, ${bytes} bytes`;
    if (isFull) yield warning('limits', detail, 'mempool limits set, or drop what is not needed');
    else yield ok('limits', detail);
  }
  const ageMs = oldestInflight === null ? 0 : Date.now() - oldestInflight.sentAt;
  if (oldestInflight === null || ageMs < longInflightMs) return;
  const detail = `${oldestInflight.hash} has been in flight for ${span(ageMs)}`;
  yield warning('in flight', detail, 'if the network lost it: mempool release');
}

async function* records(pool: Mempool): Findings {
  let count = 0;
  for (let after: string | undefined; ; ) {
    try {
      const page = await pool.listRecords('', { after, limit: 100 });
      if (page.records.length === 0) break;
      count += page.records.length;
      after = page.next;
    } catch (error) {
      if (!isMempoolError(error, 'ERR_MEMPOOL_CORRUPT') || typeof error.details.name !== 'string') throw error;
      after = error.details.name;
      const remedy = 'its application must write it again';
      yield { check: 'records', state: 'fail', detail: `damaged: ${after}`, remedy };
    }
  }
  yield ok('records', `${count} of applications`);
}

async function* serverFindings(target: ServerTarget, terminal: Terminal): Findings {
  const { signal } = terminal;
  for (const [check, path] of [
    ['process', '/livez'],
    ['readiness', '/readyz'],
  ] as const) {
    try {
      await target.client.probe(path, signal);
      yield ok(check, `${target.client.place}${path} answers`);
    } catch (error) {
      yield {
        ...failing(check, error),
        remedy: check === 'process' ? 'start the server, or correct --url' : 'see its log',
      };
      if (check === 'process') return;
    }
  }
  yield* content(target, terminal);
}
