import {
  type ChainPoint,
  type ConfirmOutcome,
  isLive,
  type PoolDump,
  type RollbackOutcome,
  type StoredTransaction,
  type Transaction,
} from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Node } from '../pool/pool-reader.ts';
import * as record from '../pool/record.ts';
import { MirrorSync, positionArguments } from './mirror-sync.ts';
import { type Plan, PoolWriter } from './pool-writer.ts';

type Fenced = Extract<ConfirmOutcome & RollbackOutcome, { readonly kind: 'fenced' }>;

/** A life as the mirror has it, with what `body` holds of it. */
interface Fetched {
  readonly txState: core.TxState;
  readonly point: ChainPoint | null;
  readonly tick: number;
  readonly record: Buffer | null;
}

/**
 * A priority pool on the server, read and planned on by a mirror of it. A read asks first what the others wrote; what it takes from
 * the payloads is of the same moment.
 */
export class RedisPriorityStorage implements core.PriorityStorage {
  readonly #link: MirrorSync;
  readonly #writer: PoolWriter;

  constructor(node: Node) {
    this.#link = new MirrorSync(node);
    this.#writer = new PoolWriter(this.#link);
  }

  read<T>(context: core.ReadContext, read: (pool: core.PriorityPool) => T): Promise<T> {
    return this.#retry(context, async (deadline) => read((await this.#link.current(deadline)).pool));
  }

  /** Reads the pool for the first time, however long that takes. */
  async load(): Promise<void> {
    const { timeoutMs, clock } = this.#link.node.options;
    await core.retryUntil({ timeoutMs, clock, signal: undefined }, () => this.#link.load());
  }

  /** Resolves when the writing calls made before have ended. */
  get settled(): Promise<unknown> {
    return this.#writer.settled;
  }

  write<T>(verb: string, context: core.WriteContext, plan: Plan<T>): Promise<T> {
    return this.#writer.write(verb, context, plan);
  }

  writeUnderLease<T>(verb: string, context: core.ChainContext, plan: Plan<T>): Promise<T | Fenced> {
    return this.#writer.writeUnderLease(verb, context, plan);
  }

  async stored(
    context: core.ReadContext,
    choose: (pool: core.PriorityPool) => readonly string[],
  ): Promise<StoredTransaction[]> {
    const fetched = await this.#fetch(context, choose, core.maxPageBytes);
    const found = fetched.map(({ txState, point, tick, record: bytes }) => {
      const { intact, ...body } = record.decodeRecord(bytes);
      return { intact, ...core.storedTransaction(txState, body, point, tick) };
    });
    return core.cutPage(found, ({ intact }) => intact).map(({ intact: _, ...transaction }) => transaction);
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
      if (!intact) throw core.corrupt(found.txState);
      return { hash, ...body };
    });
  }

  dump(context: core.ReadContext): Promise<PoolDump> {
    return this.#retry(context, async (deadline) => core.dumpOf((await this.#link.fresh(() => deadline)).pool.index));
  }

  /**
   * What is chosen at one moment since the call: what others write after it makes nobody choose anew. Payloads do not change while a
   * life lasts: what was fetched before is not fetched again.
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

  /** As many of the records as fit into one answer. Whether the mirror then is as the pool was when they were read. */
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
    const { settled } = this.#writer;
    return core.retryUntil({ timeoutMs, clock, signal }, async (remainingMs) => {
      const deadline = clock() + remainingMs;
      await settled;
      return attempt(deadline);
    });
  }
}

function isKnownLive(view: core.PoolView, hash: string): boolean {
  const txState = view.txState(hash);
  return txState !== null && isLive(txState.stage);
}

/** What was fetched for a life is its record as long as the life is what its hash stands for. */
function isThere(view: core.PoolView, { hash, seq }: core.TxState): boolean {
  return view.txState(hash)?.seq === seq;
}

/** A hash may have a later life with another payload. */
function lifeName({ hash, seq }: core.TxState): string {
  return `${hash}/${seq}`;
}

function chosenFrom({ pool: { view } }: core.MirroredPool, hashes: readonly string[]): Omit<Fetched, 'record'>[] {
  const { tick } = view.currentTip;
  return hashes.flatMap((hash) => {
    const txState = view.txState(hash);
    return txState === null ? [] : [{ txState, point: view.confirmedAt(hash), tick }];
  });
}

/** As far as a page goes: those at hand, and those whose records are still to be fetched. */
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
