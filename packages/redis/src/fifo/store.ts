import * as core from 'mempool-core';
import * as record from '../pool/record.ts';
import { type Node, numberText, RedisStore } from '../pool/store.ts';

/** One node's view of a pool in order of arrival: each of its verbs is one script too. */
export class FifoStore extends RedisStore implements core.ArrivalVerbs {
  /** A call's bytes are written before it waits for anything. */
  readonly copiesPayloads = true;
  readonly #now: (() => number) | null;

  constructor(node: Node) {
    super(node);
    this.#now = node.options.now;
  }

  async reap(budget: core.CheckedBudget, { signal }: core.ReadContext): Promise<core.Candidate[]> {
    return readArrivals(await this.read('reap', budgetArguments(budget), signal)).map(core.candidateOf);
  }

  async take(
    { budget, leaseId, owner, leaseMs }: core.CheckedTake,
    moment: core.CheckedMoment,
    context: core.WriteContext,
  ): Promise<core.Lot> {
    const args = [owner, leaseMs, ...this.#moment(moment), ...budgetArguments(budget)];
    const [holder, untilMs, ...found] = await this.write('take', args, context, leaseId);
    const transactions = readArrivals(found).map(core.candidateOf);
    return { leaseId, owner: String(holder), untilMs: Number(untilMs), transactions };
  }

  async sweep(moment: core.CheckedMoment, context: core.WriteContext): Promise<core.Sweep> {
    const [more, ...hashes] = await this.write('sweep', [...this.#moment(moment), core.maxSweep], context);
    return { returned: hashes.map(core.bytesToHash), expired: [], evicted: [], more: more === 1 };
  }

  async since(query: core.CheckedGossipQuery, { signal }: core.ReadContext): Promise<core.GossipPage> {
    const { after, limit, hashesOnly } = query;
    if (hashesOnly) {
      const found = readArrivals(await this.read('sinceHashes', [after, limit], signal));
      return core.gossipPage(
        found.map((arrival) => core.gossipItem(arrival, null)),
        query,
      );
    }
    const [tick, ...rows] = await this.read('since', [after, limit, core.maxPageBytes], signal);
    const found = rows.map((row) => record.readTransaction(row, tick));
    const page = core.cutPage(found, ({ intact }) => intact);
    const items = page.map(({ hash, seq, payload, payloadType }) =>
      core.gossipItem({ hash, seq, bytes: payload.length }, { payload, payloadType }),
    );
    return core.gossipPage(items, query);
  }

  async payloads(hashes: readonly string[], { signal }: core.ReadContext): Promise<(core.Transaction | null)[]> {
    const found = await this.read('bodies', [record.packHashes(hashes)], signal);
    return hashes.map((hash, i) => {
      const [seq, body] = found[i] ?? [];
      if (seq === undefined) return null;
      const { payload, payloadType, intact } = record.decodeRecord(body ?? null);
      if (!intact) throw core.corrupt({ hash, seq: Number(seq) });
      return { hash, payload, payloadType };
    });
  }

  peekParked(): core.StoredTransaction[] {
    return [];
  }

  async flush(context: core.WriteContext): Promise<number> {
    const [count] = await this.write('flush', [], context);
    return count;
  }

  async setLimits({ maxTxs }: Partial<core.Limits>, context: core.WriteContext): Promise<core.Limits> {
    const [stored] = await this.write('setLimits', [maxTxs === undefined ? '' : numberText(maxTxs)], context);
    const text = String(stored);
    return { ...core.arrivalLimits, maxTxs: text === 'inf' ? Number.POSITIVE_INFINITY : Number(text) };
  }

  /** For lua/fifo/moment.lua. */
  #moment({ now }: core.CheckedMoment): (string | number)[] {
    return [now ?? '', this.#now?.() ?? ''];
  }
}

/** For lua/fifo/reap.lua. */
function budgetArguments({ maxBytes, maxTxs, skip, overheadBytes }: core.CheckedBudget): (string | number)[] {
  return [numberText(maxBytes), numberText(maxTxs), skip, overheadBytes];
}

/** Hash, seq, bytes, hash … */
function readArrivals(flat: readonly (Buffer | number)[]): core.Arrival[] {
  return Array.from({ length: flat.length / 3 }, (_, i) => {
    const [hash, seq, bytes] = flat.slice(3 * i, 3 * i + 3) as [Buffer, Buffer, number];
    return { hash: core.bytesToHash(hash), seq: Number(seq), bytes };
  });
}
