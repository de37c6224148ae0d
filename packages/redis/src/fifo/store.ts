import { randomBytes } from 'node:crypto';
import type {
  Candidate,
  ChainPoint,
  Claim,
  ConfirmOutcome,
  ExtendOutcome,
  Limits,
  PutOutcome,
  ReceiveOutcome,
  RollbackOutcome,
  StoredTransaction,
  Sweep,
  TakenCandidate,
  Transaction,
} from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Argument } from '../connection/lua-script.ts';
import type { Reply, Verb } from '../connection/script.ts';
import { limitArgument, numberText, readLimit } from '../pool/fifo-limits.ts';
import { putArguments, readPut } from '../pool/named-record.ts';
import { isIntact, pageRows } from '../pool/page-rows.ts';
import { type Node, PoolReader } from '../pool/pool-reader.ts';
import * as record from '../pool/record.ts';

const duplicateStages = ['Pending', 'Propagated', 'Acknowledged', 'Confirmed', 'Finalized'] as const;

/** One node's view of a fifo pool. Each verb that writes is one script. */
export class FifoStore extends PoolReader implements core.StoreDriver, core.FifoVerbs {
  /** Payloads are copied before the first await of a call. */
  readonly copiesPayloads = true;
  readonly #now: (() => number) | null;
  /** Prefix of the ids of calls without an operation id. With a counter after it an id is unique in the pool. */
  readonly #id: string = randomBytes(9).toString('base64');
  #calls = 0;

  constructor(node: Node) {
    super(node);
    this.#now = node.options.now;
  }

  async receive(given: readonly Transaction[], context: core.WriteContext): Promise<ReceiveOutcome[]> {
    const hashes = given.map(({ hash }) => hash);
    const packed = record.packHashes(hashes);
    const repeats = new Set(hashes).size < hashes.length ? 'yes' : '';
    const { finalizeThreshold } = this.node().options.thresholds;
    const records = given.map(record.bodyRecord);
    const args = [kept(packed, context), numberText(finalizeThreshold), repeats, packed, ...records];
    const [letters, first, recorded] = await this.#write('receive', args, context);
    let seq = first;
    return named(recorded, hashes).map((hash, i): ReceiveOutcome => {
      const letter = String.fromCharCode(letters[i] as number);
      if (letter === 'f') return { kind: 'full', hash };
      const stage = duplicateStages[Number(letter)];
      if (stage !== undefined) return { kind: 'duplicate', hash, stage };
      return { kind: 'received', hash, seq: seq++, stage: letter === 'c' ? 'Confirmed' : 'Pending' };
    });
  }

  async move(verb: core.MoveVerb, hashes: readonly string[], context: core.ClaimContext): Promise<string[]> {
    const packed = record.packHashes(hashes);
    const { claim = '', notBeforeMs = '' } = context;
    return chosen(await this.#write(verb, [packed, claim, notBeforeMs], context), hashes);
  }

  async drop(hashes: readonly string[], reason: string, context: core.ClaimContext): Promise<string[]> {
    const packed = record.packHashes(hashes);
    const args = [reason, packed, context.claim ?? '', (context.pendingSeqs ?? []).join(' ')];
    return chosen(await this.#write('drop', args, context), hashes);
  }

  async confirm(block: core.CheckedBlock, context: core.ChainContext): Promise<ConfirmOutcome> {
    const { finalizeThreshold, dropThreshold } = block.thresholds;
    const parent = block.parent === null ? '' : core.hashToBytes(block.parent);
    const thresholds = [finalizeThreshold, dropThreshold].map(numberText);
    const lists = [block.seen, block.unseen].map(record.packHashes);
    const args = [...this.#fence(context), core.encodePoint(block.point), parent, ...thresholds, ...lists];
    const [word, point, tick, ...counts] = await this.#write('confirm', args, context);
    const kind = String(word) as ConfirmOutcome['kind'];
    const tip = { point: record.readPoint(point), tick };
    if (kind !== 'applied') return { kind, tip };
    const [confirmed, returned, finalized, dropped] = counts;
    return { kind, tip, confirmed, returned, finalized, dropped };
  }

  async rollback(target: ChainPoint | null, context: core.ChainContext): Promise<RollbackOutcome> {
    const args = [...this.#fence(context), target === null ? '' : core.encodePoint(target)];
    const [word, point, tick, first, returned] = await this.#write('rollback', args, context);
    const kind = String(word) as RollbackOutcome['kind'];
    const tip = { point: record.readPoint(point), tick };
    switch (kind) {
      case 'unchanged':
      case 'fenced':
        return { kind, tip };
      case 'unknown-point':
        return { kind, tip, oldest: record.readPoint(first as Buffer) };
      case 'rolled-back':
        return { kind, tip, undone: first as number, returned };
    }
  }

  async reap(budget: core.CheckedBudget, { signal }: core.ReadContext): Promise<Candidate[]> {
    return readEntries(await this.read('reap', budgetArguments(budget), signal)).map(core.candidateOf);
  }

  async take(
    { budget, claimId, owner, claimMs }: core.CheckedTake,
    moment: core.CheckedCallTime,
    context: core.WriteContext,
  ): Promise<Claim> {
    const args = [owner, claimMs, moment.now ?? '', ...budgetArguments(budget)];
    const [holder, untilMs, ...found] = await this.#write('take', args, context, claimId);
    const transactions = readTaken(found);
    return { claimId, owner: String(holder), untilMs: Number(untilMs), transactions };
  }

  async extendClaim(
    { claimId, claimMs }: core.CheckedExtension,
    moment: core.CheckedCallTime,
    context: core.WriteContext,
  ): Promise<ExtendOutcome> {
    const [untilMs, held] = await this.#write('extendClaim', [claimId, claimMs, moment.now ?? ''], context);
    return held === 0 ? { kind: 'ended' } : { kind: 'extended', untilMs: Number(untilMs), held };
  }

  async sweep(moment: core.CheckedSweep, context: core.WriteContext): Promise<Sweep> {
    const args = [moment.now ?? '', core.maxSweep, numberText(this.node().options.inflightTtlMs)];
    const [more, count, wokenCount, ...found] = await this.#write('sweep', args, context);
    const hashes = found.map(core.bytesToHash);
    const [returned, woken] = [hashes.slice(0, count), hashes.slice(count, count + wokenCount)];
    return { returned, woken, expired: hashes.slice(count + wokenCount), evicted: [], more: more === 1 };
  }

  async since(
    { after, limit, hashesOnly }: core.CheckedGossipQuery,
    { signal }: core.ReadContext,
  ): Promise<core.DriverGossipPage> {
    if (hashesOnly) {
      const [made, ...found] = await this.read('sinceHashes', [after, limit], signal);
      const records = readEntries(found);
      return core.gossipPage({ records, last: records.at(-1) }, { after, epoch: String(made) }, (entry) =>
        core.gossipItem(entry, null),
      );
    }
    const found = await this.read('since', [after, limit, core.maxPageBytes], signal);
    const page = core.cutPage(pageRows(found), isIntact, this.node().options.damage);
    return core.gossipPage(page, { after, epoch: String(found[1]) }, (row) =>
      core.gossipItem({ hash: row.hash, seq: row.seq, bytes: row.payload.length }, row as StoredTransaction),
    );
  }

  async payloads(hashes: readonly string[], { signal }: core.ReadContext): Promise<(Transaction | null)[]> {
    const found = await this.read('bodies', [record.packHashes(hashes)], signal);
    return hashes.map((hash, i) => {
      const [seq, body] = found[i] ?? [];
      if (seq === undefined) return null;
      const { payload, payloadType, intact } = record.decodeRecord(body ?? null);
      if (intact) return { hash, payload, payloadType };
      this.node().options.damage({ hash, seq: Number(seq) });
      return null;
    });
  }

  async peekParked(after: number, _limit: number, { signal }: core.ReadContext): Promise<core.DriverPage> {
    const [, , , epoch] = await this.read('tip', [0], signal);
    return core.noneParked(after, String(epoch));
  }

  async flush(context: core.WriteContext): Promise<number> {
    const [count] = await this.#write('flush', [], context);
    return count;
  }

  async setLimits(limits: Partial<Limits>, context: core.WriteContext): Promise<Limits> {
    const [maxTxs] = await this.#write('setLimits', [limitArgument(limits)], context);
    return { ...core.fifoLimits, maxTxs: readLimit(maxTxs) };
  }

  async putRecord(put: core.CheckedPut, context: core.ChainContext): Promise<PutOutcome> {
    return readPut(put, await this.#write('putRecord', putArguments(put, context), context));
  }

  /** The arguments that lua/pool/fence.lua compares with the live lease (X6). */
  #fence({ lease }: core.ChainContext): Argument[] {
    const demanded = this.node().options.fenced ? 'demanded' : '';
    return lease === null ? ['', '', '', demanded] : [lease.nodeId, lease.token, String(lease.term), demanded];
  }

  /** X2: a call without an operation id gets one here, so that a repeat after a lost answer gets the recorded outcome. */
  #write<V extends Verb>(
    verb: V,
    args: readonly Argument[],
    { operationId, digest, signal }: core.WriteContext,
    made?: string,
  ): Promise<Reply<V>> {
    this.#calls += 1;
    const id = operationId ?? made ?? `${this.#id}${this.#calls}`;
    const last = [this.#now?.() ?? '', Buffer.from(digest ?? [])];
    return this.run(verb, operationId === undefined ? 'calls' : 'ops', [id, verb, ...args, ...last], { signal });
  }
}

/** The arguments of lua/fifo/reap.lua. */
function budgetArguments({ maxBytes, maxTxs, skip, overheadBytes }: core.CheckedBudget): (string | number)[] {
  return [numberText(maxBytes), numberText(maxTxs), skip, overheadBytes];
}

/** Hash, seq, bytes, facts, hash … */
function readTaken(flat: readonly (Buffer | number)[]): TakenCandidate[] {
  return Array.from({ length: flat.length / 4 }, (_, i) => {
    const [hash, seq, bytes, facts] = flat.slice(4 * i, 4 * i + 4) as [Buffer, Buffer, number, Buffer];
    const entry = { hash: core.bytesToHash(hash), seq: Number(seq), bytes };
    return core.takenOf(core.candidateOf(entry), record.readLifeFacts(facts));
  });
}

/** Hash, seq, bytes, hash … */
function readEntries(flat: readonly (Buffer | number)[]): core.FifoEntry[] {
  return Array.from({ length: flat.length / 3 }, (_, i) => {
    const [hash, seq, bytes] = flat.slice(3 * i, 3 * i + 3) as [Buffer, Buffer, number];
    return { hash: core.bytesToHash(hash), seq: Number(seq), bytes };
  });
}

/** With an operation id the hashes of a `receive` are recorded too: the error for another use of the id has them (X2). */
function kept(packed: Buffer, { operationId }: core.WriteContext): Argument {
  return operationId === undefined ? '' : packed;
}

function named(recorded: Buffer, given: readonly string[]): readonly string[] {
  return recorded.length === 0 ? given : record.unpackHashes(recorded);
}

/** The hashes of a call that the script marked with a 1. */
function chosen(digits: Buffer, given: readonly string[]): string[] {
  return given.filter((_, i) => digits[i] === 0x31);
}
