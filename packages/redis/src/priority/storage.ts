import { type ChainPoint, isLive, type Transaction } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { finalError } from '../connection/connection.ts';
import { lateBehind } from '../connection/settling.ts';
import type { Node } from '../pool/pool-reader.ts';
import * as record from '../pool/record.ts';
import { MirrorSync, positionArguments } from './mirror-sync.ts';
import { PoolWriter } from './pool-writer.ts';

/** A transaction's state from the mirror, with its stored record. */
interface Fetched {
  readonly txState: core.TxState;
  readonly point: ChainPoint | null;
  readonly tick: number;
  readonly record: Buffer | null;
}

/**
 * The storage of a priority pool on the server, with a mirror for planning. A read first brings the mirror up to date. The payloads
 * that it fetches belong to the same state.
 */
export class RedisPriorityStorage extends PoolWriter implements core.PriorityStorage {
  readonly #link: MirrorSync;

  constructor(node: Node) {
    const link = new MirrorSync(node);
    super(link);
    this.#link = link;
  }

  read<T>(context: core.ReadContext, read: (pool: core.PriorityPool) => T): Promise<T> {
    return this.#retry(context, async (deadline) => read((await this.#link.current(deadline)).pool));
  }

  /** Reads the pool for the first time, without a time limit. */
  async load(): Promise<void> {
    const { timeoutMs, clock } = this.#link.node.options;
    await core.retryUntil({ timeoutMs, clock, signal: undefined }, () => this.#link.load());
  }

  async stored(
    context: core.ReadContext,
    after: number,
    choose: (pool: core.PriorityPool) => readonly string[],
  ): Promise<core.DriverPage> {
    let epoch = '';
    const chosen = (pool: core.PriorityPool) => {
      ({ epoch } = pool.view);
      return choose(pool);
    };
    const fetched = await this.#fetch(context, chosen, core.maxPageBytes);
    const found = fetched.map(({ txState, point, tick, record: bytes }) => {
      const { intact, ...body } = record.decodeRecord(bytes);
      return { intact, ...core.storedTransaction(txState, body, point, tick) };
    });
    const page = core.cutPage(found, ({ intact }) => intact, this.#link.node.options.damage);
    return core.seqPage(page, { after, epoch }, ({ intact: _, ...transaction }) => transaction);
  }

  async bodies(context: core.ReadContext, hashes: readonly string[]): Promise<(Transaction | null)[]> {
    const fetched = await this.#fetch(
      context,
      ({ view }) => hashes.filter((hash) => isKnownLive(view, hash)),
      Number.POSITIVE_INFINITY,
    );
    const byHash = new Map(fetched.map((each) => [each.txState.hash, each]));
    return hashes.map((hash) => {
      const found = byHash.get(hash);
      if (found === undefined) return null;
      const { intact, ...body } = record.decodeRecord(found.record);
      if (intact) return { hash, ...body };
      this.#link.node.options.damage(found.txState);
      return null;
    });
  }

  /**
   * Chooses at one moment after the call, and fetches the records. Later writes of others change nothing about the choice. A record is
   * fetched once: payloads do not change until the hash is received again.
   */
  #fetch(
    context: core.ReadContext,
    choose: (pool: core.PriorityPool) => readonly string[],
    maxBytes: number,
  ): Promise<Fetched[]> {
    const records = new Map<string, Buffer | null>();
    return this.#retry(context, async (deadline) => {
      for (let isCurrent = false; ; ) {
        const mirror = await this.#link.mirror(deadline);
        const chosen = chosenFrom(mirror, choose(mirror.pool));
        for (let isKept = true; isKept; ) {
          const { found, missing } = gather(chosen, records, maxBytes);
          if (isCurrent && missing.length === 0) return found;
          const wasCurrent = isCurrent;
          isCurrent = await this.#fetchRecords(mirror, missing, records, deadline);
          isKept = wasCurrent && isCurrent && missing.every((txState) => isThere(mirror.pool.view, txState));
        }
      }
    });
  }

  /** Fetches as many records as fit into one answer. Returns whether the mirror has the state of the pool in which they were read. */
  async #fetchRecords(
    mirror: core.MirroredPool,
    txStates: readonly core.TxState[],
    records: Map<string, Buffer | null>,
    deadline: number,
  ): Promise<boolean> {
    const { position } = mirror;
    const packed = record.packHashes(txStates.map(({ hash }) => hash));
    const args = [packed, ...positionArguments(position), core.maxPageBytes];
    const [report, ...bodies] = await this.#link.send('fetch', args, deadline);
    for (const [i, body] of bodies.entries()) records.set(lifeName(txStates[i] as core.TxState), body);
    return this.#link.follow(mirror, position, report, deadline);
  }

  #retry<T>({ signal }: core.ReadContext, attempt: (deadline: number) => Promise<T>): Promise<T> {
    const { timeoutMs, clock } = this.#link.node.options;
    const { settled } = this;
    const attempts = core.retryUntil({ timeoutMs, clock, signal }, async (remainingMs) => {
      const deadline = clock() + remainingMs;
      const failure = await settled;
      if (clock() >= deadline) throw lateBehind(failure);
      return attempt(deadline);
    });
    return attempts.catch((error: unknown) => Promise.reject(finalError(error)));
  }
}

function isKnownLive(view: core.PoolView, hash: string): boolean {
  const txState = view.txState(hash);
  return txState !== null && isLive(txState.stage);
}

/** A fetched record is valid as long as its hash has the same seq. */
function isThere(view: core.PoolView, { hash, seq }: core.TxState): boolean {
  return view.txState(hash)?.seq === seq;
}

/** With the seq, because a hash may be received again with another payload. */
function lifeName({ hash, seq }: core.TxState): string {
  return `${hash}/${seq}`;
}

function chosenFrom(
  { pool: { view, index } }: core.MirroredPool,
  hashes: readonly string[],
): Omit<Fetched, 'record'>[] {
  const { tick } = view.currentTip;
  return hashes.flatMap((hash) => {
    const txState = view.txState(hash);
    if (txState === null) return [];
    const notBefore = index.node(hash)?.entry.notBefore;
    const whole = notBefore === undefined ? txState : { ...txState, notBefore };
    return [{ txState: whole, point: view.confirmedAt(hash), tick }];
  });
}

/** The transactions of a page: the ones with fetched records, and the ones with missing records. */
function gather(
  chosen: readonly Omit<Fetched, 'record'>[],
  records: ReadonlyMap<string, Buffer | null>,
  maxBytes: number,
): { readonly found: Fetched[]; readonly missing: core.TxState[] } {
  const found: Fetched[] = [];
  const missing: core.TxState[] = [];
  let bytes = 0;
  for (const each of chosen) {
    const known = records.get(lifeName(each.txState));
    if (known === undefined) missing.push(each.txState);
    else found.push({ ...each, record: known });
    bytes += known?.length ?? 0;
    if (bytes > maxBytes) break;
  }
  return { found, missing };
}
