import * as core from 'mempool-core';
import type { HashIndex } from './hash-index.ts';
import type { PoolFile } from './pool-file.ts';
import { checksumOf, type PoolState } from './records.ts';

const counterOf = {
  Pending: 'pending',
  RolledBack: 'pending',
  Propagated: 'propagated',
  Acknowledged: 'acknowledged',
  Confirmed: 'confirmed',
} as const satisfies Partial<Record<core.TransactionEvent['stage'], keyof PoolState>>;

type Counted = keyof typeof counterOf;

/** Writes what a step says, inside one SQLite transaction. */
export class StepWriter {
  readonly #file: PoolFile;
  readonly #hashes: HashIndex;
  readonly #state: PoolState;

  constructor(file: PoolFile, hashes: HashIndex, state: PoolState) {
    this.#file = file;
    this.#hashes = hashes;
    this.#state = { ...state };
  }

  write({ writes, events, chain, operation }: core.Step<unknown>): void {
    for (const write of writes) this.#put(write);
    if (chain !== null) this.#moveChain(chain);
    if (this.#state.logged > this.#state.maxFinalized) this.#trimLog();
    if (events.length > 0) this.#record(events);
    if (operation !== null) {
      const { lastInsertRowid } = this.#file.run('recordOperation', operation.id, operation.record);
      this.#file.run('trimOperations', Number(lastInsertRowid) - core.maxOperations);
    }
  }

  #put({ after, point, body }: core.Write): void {
    const { seq, stage, tick } = after;
    if (body !== null) this.#insert(seq, body);
    if (stage === 'Pending') {
      if (body === null) this.#file.run('deleteInflight', seq);
      this.#file.run('insertPending', seq);
      return;
    }
    if (body === null) this.#file.run('deletePending', seq);
    const bytes = point === null ? null : core.encodePoint(point);
    if (core.isLive(stage)) {
      this.#file.run('putInflight', seq, core.knownStages.indexOf(stage), tick, bytes);
      return;
    }
    this.#file.run('deleteInflight', seq);
    this.#log(after, bytes);
  }

  /** A hash that has a row was Dropped (L2): the new life takes over its history, which shows the new payload. */
  #insert(seq: number, { hash, payload, payloadType }: core.Transaction): void {
    const key = core.hashToBytes(hash);
    const row = [seq, key, payloadType, checksumOf(key, payload), payload] as const;
    this.#state.lastSeq = seq;
    if (this.#hashes.insert(...row)) return;
    const old = this.#hashes.seqOf(key) ?? seq;
    this.#hashes.remove(old, key);
    this.#file.run('repointLog', seq, old);
    this.#hashes.insert(...row);
  }

  #log(life: core.Life, point: Buffer | null): void {
    this.#state.lastLogSeq += 1;
    this.#state.logged += 1;
    const stage = core.knownStages.indexOf(life.stage);
    const hash = core.hashToBytes(life.hash);
    this.#file.run('insertLog', { ...life, logSeq: this.#state.lastLogSeq, hash, stage, point });
  }

  /** O4: the oldest entries go; with a hash's latest one goes what is left of a transaction that is not live. */
  #trimLog(): void {
    const last = this.#state.lastLogSeq - this.#state.maxFinalized;
    for (const { seq, hash } of [...this.#file.rows('expired', last)])
      this.#hashes.remove(seq as number, hash as Buffer);
    this.#file.run('trimLog', last);
    this.#state.logged = this.#state.maxFinalized;
  }

  #moveChain(chain: core.ChainStep): void {
    const { tick } = chain;
    this.#state.tick = tick;
    if (chain.kind === 'undone') {
      this.#file.run('undoBlocks', tick);
      this.#file.run('undoSightings', tick);
      return;
    }
    if (chain.floor !== this.#state.floor) {
      // First, so that a hash last carried by a block that goes is noted as carried by this one (L13).
      this.#file.run('trimBlocks', chain.floor);
      this.#file.run('trimSightings', chain.floor);
      this.#state.floor = chain.floor;
    }
    this.#file.run('insertBlock', tick, core.encodePoint(chain.point));
    for (const hash of chain.seen) this.#file.run('sight', core.hashToBytes(hash), tick);
    for (const hash of chain.unseen) this.#file.run('unsight', core.hashToBytes(hash));
  }

  /** The counters follow the events; with them they are the pool's new state. */
  #record(events: readonly core.StoreEvent[]): void {
    const state = this.#state;
    for (const event of events) {
      if (event.kind === 'block') continue;
      const { previous, stage } = event;
      if (isCounted(previous.stage)) state[counterOf[previous.stage]] -= 1;
      if (isCounted(stage)) state[counterOf[stage]] += 1;
    }
    state.lastEventSeq += events.length;
    this.#file.run('step', { ...state, count: events.length, events: core.encodeEvents(events) });
    this.#file.run('trimSteps', state.lastEventSeq - state.maxEvents);
  }
}

function isCounted(stage: core.Stage | 'RolledBack'): stage is Counted {
  return stage in counterOf;
}
