import * as core from 'mempool-core/backend';
import type { Row } from '../file/row.ts';
import type { PoolFile } from './pool-file.ts';
import * as records from './records.ts';

/**
 * Yields the records of a pool without payloads, events and operation ids, in the order of `PoolRecord`. It runs inside one
 * transaction. A damaged record is reported and replaced by one that every verb can handle (M2). `lastGossipSeq` is `null` for a
 * fifo pool.
 */
export function* loadPool(
  file: LoadedFile,
  state: records.PoolState,
  lastGossipSeq: number | null,
): Generator<core.PoolRecord, undefined> {
  yield* loadRecords(file, state, lastGossipSeq === null ? noEntry : entryOf);
  if (lastGossipSeq === null) return;
  yield { kind: 'gossip', lastGossipSeq };
  for (const { tag, tick: at } of file.rows('loadSatisfied'))
    if (typeof tag === 'string' && Number.isSafeInteger(at)) yield { kind: 'satisfied', tag, tick: at as number };
}

/** The reads of a pool's file, and the function that handles records that cannot be read. */
export type LoadedFile = Pick<PoolFile, 'rows' | 'reportDamage'>;

/** The entry of a transaction. A fifo pool has none. */
type ReadEntry = (file: LoadedFile, row: Row, hash: string, seq: number) => core.PoolRecord[];

const noEntry: ReadEntry = () => [];
const entryOf: ReadEntry = (...at) => [{ kind: 'entry', entry: readEntry(...at) }];

function* loadRecords(
  file: LoadedFile,
  state: records.PoolState,
  entries: ReadEntry,
): Generator<core.PoolRecord, undefined> {
  const { tick, floor, lastSeq, lastEventSeq, lastAt } = state;
  for (const row of file.rows('loadBlocks')) yield* loadBlock(file, row);
  // After the blocks, because the last one may be damaged.
  yield { kind: 'base', tick, floor, lastSeq, trimmedLog: trimmedLog(state), trimmedEvents: lastEventSeq, lastAt };
  const [counted] = file.rows('countPlaces');
  let lost = Number(counted?.places);
  for (const row of file.rows('loadLive')) {
    lost -= Number(row.places);
    yield* loadLive(file, row, tick, entries);
  }
  if (lost > 0) for (const row of file.rows('loadLost')) file.reportDamage(records.recordKeyOf(row));
  yield* loadLog(file, state, entries);
}

/** Damaged blocks are skipped: the verbs that move the tip read the stored tip themselves. */
function* loadBlock(file: LoadedFile, { tick, point }: Row): Generator<core.PoolRecord, undefined> {
  if (!(point instanceof Uint8Array) || point.length !== core.pointBytes) return;
  const sighted = Array.from(file.rows('loadInclusions', tick), records.recordKeyOf).map(({ hash }) => hash);
  yield { kind: 'block', block: { tick: tick as number, point: core.decodePoint(point), sighted } };
}

function* loadLive(
  file: LoadedFile,
  row: Row,
  tick: number,
  entries: ReadEntry,
): Generator<core.PoolRecord, undefined> {
  const { hash, seq } = records.recordKeyOf(row);
  if (hash === '') return void file.reportDamage({ hash, seq });
  const state = records.readStoredState(row);
  if (state === null) file.reportDamage({ hash, seq });
  const after = state?.txState ?? core.live(hash, seq, 'Propagated', tick, core.noFacts);
  yield { kind: 'write', write: { after, point: state?.point ?? null, body: core.mirroredBody(hash) } };
  yield* entries(file, row, hash, seq);
}

/**
 * After an open lowered `maxFinalized`, the file keeps the surplus until the next call with events. The mirror leaves it out at once:
 * otherwise a loaded mirror could have more entries than one that trimmed its log with another call.
 */
function trimmedLog({ lastLogSeq, logged, maxFinalized }: records.PoolState): number {
  return lastLogSeq - Math.min(logged, maxFinalized);
}

/** Without gaps: the entries of the mirror have the same numbers as in the file. */
function* loadLog(
  file: LoadedFile,
  state: records.PoolState,
  entries: ReadEntry,
): Generator<core.PoolRecord, undefined> {
  const { lastLogSeq } = state;
  let next = trimmedLog(state) + 1;
  for (const row of file.rows('loadLog', next)) {
    const logSeq = row.logSeq as number;
    while (next < logSeq) yield lostEntry(file, next++);
    yield* loadLogged(file, row, entries);
    next = logSeq + 1;
  }
  while (next <= lastLogSeq) yield lostEntry(file, next++);
}

function* loadLogged(file: LoadedFile, row: Row, entries: ReadEntry): Generator<core.PoolRecord, undefined> {
  const { hash, seq, logSeq = 0 } = records.recordKeyOf(row);
  if (hash === '') return void (yield lostEntry(file, logSeq));
  const state = records.readStoredState(row);
  if (state === null) file.reportDamage({ hash, seq, logSeq });
  const after = state?.txState ?? core.lostEnd(hash, seq);
  const body = row.isLast === 1 ? core.mirroredBody(hash) : null;
  const at = records.timeOf(row);
  yield { kind: 'write', write: { after, point: state?.point ?? null, body }, at };
  if (row.isLast === 1) yield* entries(file, row, hash, seq);
}

/** An entry without a hash, which only keeps its number in the log. */
function lostEntry(file: LoadedFile, logSeq: number): core.PoolRecord {
  file.reportDamage({ hash: '', seq: 0, logSeq });
  return { kind: 'write', write: { after: core.lostEnd('', 0), point: null, body: core.mirroredBody('') } };
}

function readEntry(file: LoadedFile, row: Row, hash: string, seq: number): core.Entry {
  const place = { ...records.recordKeyOf(row), hash, seq, bytes: Number(row.bytes ?? 0) };
  return core.mirroredEntry(place, row.record, (found) => file.reportDamage(found));
}
