import { isLive, knownStages, type Transaction } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { HashIndex } from './hash-index.ts';
import type { PoolFile } from './pool-file.ts';
import { RecordTable } from './record-table.ts';
import { checksumOf, type PoolState } from './records.ts';

/** Writes a step inside one SQLite transaction. */
export class StepWriter {
  readonly #file: PoolFile;
  readonly #hashes: HashIndex;
  #pendingFrom: number | null = null;
  #pendingTo = 0;
  readonly #state: { -readonly [K in keyof PoolState]: PoolState[K] };
  readonly #heldBefore: number;

  constructor(file: PoolFile, hashes: HashIndex, state: PoolState) {
    this.#file = file;
    this.#hashes = hashes;
    this.#state = { ...state };
    this.#heldBefore = state.held;
  }

  write(step: core.Step<unknown>): void {
    const { writes, events, chain, operation, record, at } = step;
    for (const write of writes) this.#put(write, at);
    this.#flushPending(at);
    if (this.#state.held !== this.#heldBefore) this.#file.run('countHeld', this.#state.held);
    if (chain !== null) this.#moveChain(chain);
    if (events.length > 0) this.#record(events, at);
    if (record) new RecordTable(this.#file).write(record, at);
    if (operation === null) return;
    const { lastInsertRowid } = this.#file.run('recordOperation', operation.id, operation.record);
    this.#file.run('trimOperations', Number(lastInsertRowid) - core.maxOperations);
  }

  #put({ after, point, body }: core.Write, at: number | null): void {
    const { seq, stage, tick, notBefore } = after;
    const facts = core.factsAt(after.facts, at);
    if (body !== null) this.#insert(seq, body);
    else {
      this.#file.run(stage === 'Pending' ? 'deleteInflight' : 'deletePending', seq);
      if (this.#state.held > 0) this.#state.held -= this.#file.run('wake', seq).changes;
    }
    const code = knownStages.indexOf(stage);
    const bytes = point === null ? null : core.encodePoint(point);
    if (notBefore !== undefined) {
      this.#file.run('hold', seq, notBefore, facts.receivedAt, facts.attempts);
      this.#state.held += 1;
    } else if (stage === 'Pending') this.#addPending(seq, body, facts);
    else if (isLive(stage)) this.#putInflight(seq, code, tick, bytes, facts);
    else {
      this.#state.lastLogSeq += 1;
      this.#state.logged += 1;
      const { lastLogSeq: logSeq } = this.#state;
      this.#file.run('deleteInflight', seq);
      const hash = core.hashToBytes(after.hash);
      this.#file.run('insertLog', { ...after, ...facts, logSeq, hash, stage: code, point: bytes, at });
    }
  }

  /** L2: a transaction that starts again keeps the history of its hash, which shows the new payload. */
  #insert(seq: number, { hash, payload, payloadType }: Transaction): void {
    const bytes = core.hashToBytes(hash);
    const row = { seq, hash: bytes, type: payloadType, checksum: checksumOf(bytes, payload), payload };
    const before = this.#hashes.replace(row);
    this.#state.lastSeq = seq;
    if (before === undefined) return;
    // One call may drop a live transaction and receive its hash again.
    this.#file.run('deletePending', before);
    this.#state.held -= this.#file.run('wake', before).changes;
    this.#file.run('deleteInflight', before);
    this.#file.run('repointLog', seq, before);
  }

  #putInflight(seq: number, stage: number, tick: number, point: Buffer | null, facts: core.Facts): void {
    this.#file.run('putInflight', seq, stage, tick, point, facts.receivedAt, facts.attempts, facts.sentAt);
  }

  /** Collects runs of seqs: one statement for a whole batch of receives. */
  #addPending(seq: number, body: Transaction | null, { receivedAt, attempts }: core.Facts): void {
    if (body === null) return void this.#file.run('returnPending', seq, receivedAt, attempts);
    if (seq !== this.#pendingTo + 1) this.#flushPending(receivedAt);
    this.#pendingFrom ??= seq;
    this.#pendingTo = seq;
  }

  #flushPending(at: number | null): void {
    if (this.#pendingFrom !== null) this.#file.run('insertPending', at, this.#pendingFrom, this.#pendingTo);
    this.#pendingFrom = null;
  }

  /** O4: deletes the oldest entries. With the latest entry of a hash that is not live goes its row in `tx`. */
  #trimLog(): void {
    const last = this.#state.lastLogSeq - this.#state.maxFinalized;
    for (const { seq, hash } of [...this.#file.rows('expired', last)])
      this.#hashes.remove(seq as number, hash as Buffer);
    this.#file.run('trimLog', last);
    this.#state.logged = this.#state.maxFinalized;
  }

  #moveChain(chain: core.ChainStep): void {
    this.#state.tick = chain.tick;
    if (chain.kind === 'undone') {
      this.#file.run('undoBlocks', chain.tick);
      this.#file.run('undoInclusions', chain.tick);
      return;
    }
    if (chain.floor !== this.#state.floor) {
      // First, so that a hash from a block that is trimmed is stored as included in this one (L13).
      this.#file.run('trimBlocks', chain.floor);
      this.#file.run('trimInclusions', chain.floor);
      this.#state.floor = chain.floor;
    }
    this.#file.run('insertBlock', chain.tick, core.encodePoint(chain.point));
    for (const hash of chain.seen) this.#file.run('putInclusion', core.hashToBytes(hash), chain.tick);
    for (const hash of chain.unseen) this.#file.run('deleteInclusion', core.hashToBytes(hash));
  }

  /** Updates the counters by the events, and writes both as the pool's new state. */
  #record(events: readonly core.StepEvent[], at: number | null): void {
    core.countStages(this.#state, events);
    // A damaged stage was counted as the original one.
    if (core.stageCounters.some((counter) => this.#state[counter] < 0))
      Object.assign(this.#state, this.#file.row('recount'));
    if (this.#state.logged > this.#state.maxFinalized) this.#trimLog();
    this.#state.lastEventSeq += events.length;
    this.#file.run('step', { ...this.#state, count: events.length, events: core.encodeEvents(events), at });
    const surplus = this.#state.lastEventSeq - this.#state.maxEvents;
    if (surplus > 0) this.#file.run('trimSteps', surplus);
  }
}
