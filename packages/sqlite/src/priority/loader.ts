import * as core from 'mempool-core/backend';
import type { Row } from '../file/row.ts';
import type { PoolFile } from '../pool/pool-file.ts';
import * as records from '../pool/records.ts';

/**
 * A priority pool without its payloads, events and operation ids, in the order of `PoolRecord`. Runs inside one transaction. Damage
 * stops nothing (M2): a damaged record is reported, and replaced by one that every verb can handle.
 */
export function* loadPool(
  file: PoolFile,
  state: records.PoolState,
  lastGossipSeq: number,
): Generator<core.PoolRecord, undefined> {
  const { tick, floor, lastSeq, lastEventSeq } = state;
  for (const row of file.rows('loadBlocks')) yield* loadBlock(file, row);
  // After the blocks, because the last one may be damaged.
  yield { kind: 'base', tick, floor, lastSeq, trimmedLog: trimmedLog(state), trimmedEvents: lastEventSeq };
  for (const row of file.rows('loadLost')) file.reportDamage(records.recordKeyOf(row));
  for (const row of file.rows('loadLive')) yield* loadLive(file, row, tick);
  yield* loadLog(file, state);
  yield { kind: 'gossip', lastGossipSeq };
  for (const { tag, tick: at } of file.rows('loadSatisfied'))
    if (typeof tag === 'string' && Number.isSafeInteger(at)) yield { kind: 'satisfied', tag, tick: at as number };
}

/** Damaged blocks are skipped: the verbs that move the tip read the stored tip themselves. */
function* loadBlock(file: PoolFile, { tick, point }: Row): Generator<core.PoolRecord, undefined> {
  if (!(point instanceof Uint8Array) || point.length !== core.pointBytes) return;
  const sighted = Array.from(file.rows('loadInclusions', tick), records.recordKeyOf).map(({ hash }) => hash);
  yield { kind: 'block', block: { tick: tick as number, point: core.decodePoint(point), sighted } };
}

function* loadLive(file: PoolFile, row: Row, tick: number): Generator<core.PoolRecord, undefined> {
  const { hash, seq } = records.recordKeyOf(row);
  if (hash === '') return void file.reportDamage({ hash, seq });
  const state = records.readStoredState(row);
  if (state === null) file.reportDamage({ hash, seq });
  const after = state?.txState ?? core.live(hash, seq, 'Propagated', tick, core.noFacts);
  yield { kind: 'write', write: { after, point: state?.point ?? null, body: core.mirroredBody(hash) } };
  yield { kind: 'entry', entry: readEntry(file, row, hash, seq) };
}

/**
 * After an open lowered `maxFinalized`, the file keeps the surplus until the next call with events. The mirror leaves it out at once:
 * otherwise a loaded mirror could have more entries than one that trimmed its log with another call.
 */
function trimmedLog({ lastLogSeq, logged, maxFinalized }: records.PoolState): number {
  return lastLogSeq - Math.min(logged, maxFinalized);
}

/** Without gaps: the entries of the mirror have the same numbers as in the file. */
function* loadLog(file: PoolFile, state: records.PoolState): Generator<core.PoolRecord, undefined> {
  const { lastLogSeq } = state;
  let next = trimmedLog(state) + 1;
  for (const row of file.rows('loadLog', next)) {
    const logSeq = row.logSeq as number;
    while (next < logSeq) yield lostEntry(file, next++);
    yield* loadLogged(file, row);
    next = logSeq + 1;
  }
  while (next <= lastLogSeq) yield lostEntry(file, next++);
}

function* loadLogged(file: PoolFile, row: Row): Generator<core.PoolRecord, undefined> {
  const { hash, seq, logSeq = 0 } = records.recordKeyOf(row);
  if (hash === '') return void (yield lostEntry(file, logSeq));
  const state = records.readStoredState(row);
  if (state === null) file.reportDamage({ hash, seq });
  const after = state?.txState ?? core.lostEnd(hash, seq);
  const body = row.isLast === 1 ? core.mirroredBody(hash) : null;
  yield { kind: 'write', write: { after, point: state?.point ?? null, body } };
  if (row.isLast === 1) yield { kind: 'entry', entry: readEntry(file, row, hash, seq) };
}

/** An entry without a hash, which only keeps its number in the log. */
function lostEntry(file: PoolFile, logSeq: number): core.PoolRecord {
  file.reportDamage({ hash: '', seq: 0, logSeq });
  return { kind: 'write', write: { after: core.lostEnd('', 0), point: null, body: core.mirroredBody('') } };
}

function readEntry(file: PoolFile, { record, bytes }: Row, hash: string, seq: number): core.Entry {
  const report = () => file.reportDamage({ hash, seq });
  return core.storedEntry({ hash, seq, bytes: Number(bytes ?? 0) }, record, report);
}
