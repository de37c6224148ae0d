import type { Random } from 'mempool-testkit';
import type { Limits } from '../../src/contract/limits.ts';
import type { Entry } from '../../src/contract/pool-entry.ts';
import { isLive } from '../../src/contract/transaction.ts';
import { MirroredPool } from '../../src/priority/mirrored-pool.ts';
import { runOut } from '../../src/priority/placement.ts';
import {
  mirroredBody,
  type PoolChange,
  type PoolRecord,
  type PriorityPool,
  type PriorityPoolParts,
} from '../../src/priority/priority-pool.ts';
import { lostEnd } from '../../src/rules/damage.ts';

/** A stored pool that changes. */
interface ChangingPool extends PriorityPool {
  readonly parts: PriorityPoolParts;
  /** Every change, the first one first. */
  readonly changes: readonly PoolChange[];
  /** As a storage has them. */
  readonly satisfied: ReadonlyMap<string, number>;
}

/** A node that reads the stored pool part by part, while it changes: its first part is the head with the blocks. */
export class Opening {
  readonly #pool: ChangingPool;
  readonly #start: PriorityPool['memory']['currentTip'] & { readonly lastSeq: number; readonly lastLogSeq: number };
  readonly #limits: Limits;
  readonly #from: number;
  readonly #head: readonly PoolRecord[];
  readonly #tail: PoolRecord[] = [];
  readonly #entries: PoolRecord[] = [];
  readonly #live: PoolRecord[] = [];
  readonly #log = new Map<number, PoolRecord>();
  readonly #late = new Map<string, Entry>();
  readonly #reads: (() => void)[];

  constructor(pool: ChangingPool, chance: Random) {
    this.#pool = pool;
    const { memory, index } = pool;
    this.#from = pool.changes.length;
    this.#limits = index.limits;
    this.#head = [...memory.dump()].filter(({ kind }) => kind === 'base' || kind === 'block');
    const { lastSeq, lastLogSeq } = memory;
    this.#start = { ...memory.currentTip, lastSeq, lastLogSeq };
    this.#tail.push({ kind: 'gossip', lastGossipSeq: index.lastGossipSeq });
    const cuts = [chance.below(lastSeq + 1), chance.below(lastSeq + 1)].sort((a, b) => a - b);
    const parts = [0, ...cuts, lastSeq].map((from, i, all) => [from, all[i + 1] ?? from] as const);
    const middle = chance.below(lastLogSeq + 1);
    this.#reads = [
      ...parts.map(
        ([from, to]) =>
          () =>
            this.#readLive(from, to),
      ),
      () => this.#readLog(0, middle),
      () => this.#readLog(middle, Number.POSITIVE_INFINITY),
      () => this.#readTags(),
    ];
  }

  /** Reads the next part. False after the last. */
  read(): boolean {
    this.#reads.shift()?.();
    return this.#reads.length > 0;
  }

  /** `null` if it has to begin again. */
  mirror(): MirroredPool | null {
    const position = { epoch: this.#pool.parts.epoch, version: this.#from, stamp: '' };
    const log = Array.from({ length: this.#start.lastLogSeq - this.#trimmed }, (_, i) => i + 1 + this.#trimmed);
    const work = MirroredPool.filling({
      position,
      retention: this.#pool.parts.retention,
      limits: this.#limits,
      records: [
        ...this.#head,
        ...this.#live,
        ...log.map((number) => this.#log.get(number) ?? trimmedEnd(number)),
        ...this.#entries,
        ...this.#tail,
      ],
      late: this.#late,
      changes: this.#pool.changes.slice(this.#from),
      end: { ...position, version: this.#pool.changes.length },
    });
    return runOut(work);
  }

  get #trimmed(): number {
    const [base] = this.#head;
    return base?.kind === 'base' ? base.trimmedLog : 0;
  }

  #readLive(after: number, last: number): void {
    for (const record of this.#pool.memory.dump()) {
      if (record.kind !== 'write' || !isLive(record.write.after.stage)) continue;
      const { hash, seq } = record.write.after;
      if (seq <= after || seq > last) continue;
      this.#live.push(withoutPayload(record));
      this.#entries.push({ kind: 'entry', entry: this.#pool.index.node(hash)?.entry as Entry });
    }
  }

  #readLog(after: number, last: number): void {
    const { memory, index } = this.#pool;
    let number = memory.firstLogSeq;
    for (const record of memory.dump()) {
      if (record.kind !== 'write' || isLive(record.write.after.stage)) continue;
      const { hash } = record.write.after;
      const at = number++;
      if (at <= after || at > last) continue;
      const entry = record.write.body === null ? undefined : index.node(hash)?.entry;
      if (at > this.#start.lastLogSeq) {
        if (entry !== undefined) this.#late.set(hash, entry);
        continue;
      }
      this.#log.set(at, withoutPayload(record));
      if (entry !== undefined) this.#entries.push({ kind: 'entry', entry });
    }
  }

  #readTags(): void {
    for (const [tag, tick] of this.#pool.satisfied) this.#tail.push({ kind: 'satisfied', tag, tick });
  }
}

function withoutPayload(record: Extract<PoolRecord, { readonly kind: 'write' }>): PoolRecord {
  const { body } = record.write;
  return { ...record, write: { ...record.write, body: body && mirroredBody(body.hash) } };
}

function trimmedEnd(number: number): PoolRecord {
  return { kind: 'write', write: { after: lostEnd(`lost:${number}`, 0), point: null, body: null } };
}
