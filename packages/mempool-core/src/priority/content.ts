import { isBytes, isCount, isOptionalCount } from '../codec/codec.ts';
import type { Awaitable } from '../contract/call-options.ts';
import type { DumpedClaims, DumpedPart, DumpedPool, PoolContent, PoolDump } from '../contract/dump.ts';
import { invalid, type MempoolError } from '../contract/errors.ts';
import type { TxState } from '../contract/lifecycle.ts';
import { defaultLimits, type Ordering } from '../contract/limits.ts';
import { defaultRetention } from '../contract/options.ts';
import type { ClaimRecord } from '../contract/pool-entry.ts';
import { isLive, knownStages, type Transaction } from '../contract/transaction.ts';
import { MemoryPool } from '../memory/memory-pool.ts';
import { fifoLimits } from '../rules/fifo-step.ts';
import { dumpOf } from './dump.ts';
import { type PoolRecord, PriorityPool } from './priority-pool.ts';

/** A pool in memory, of either ordering, without a backend around it. */
export interface WholePool {
  readonly memory: MemoryPool;
  dump(): Iterable<PoolRecord>;
  restore(record: PoolRecord): void;
}

/** A new pool in memory. Its log and events are never trimmed. */
export function wholePool(ordering: Ordering): WholePool {
  const endless = { ...defaultRetention, maxFinalized: Number.POSITIVE_INFINITY };
  if (ordering === 'priority') return new PriorityPool({ epoch: '', retention: endless, limits: defaultLimits });
  const memory = new MemoryPool('', endless);
  return {
    memory,
    dump: () => memory.dump(),
    restore(record) {
      switch (record.kind) {
        case 'limits':
        case 'gossip':
        case 'satisfied':
        case 'entry':
          throw new TypeError(`a fifo pool has no ${record.kind}`);
        default:
          memory.restore(record);
      }
    },
  };
}

/** The payload of a transaction; gets it as the pool in memory has it. */
type BodyOf = (body: Transaction) => Transaction;

const own: BodyOf = (body) => body;

/** Returns the dump of a pool in memory. `bodyOf` supplies the payloads of a pool without payloads. */
export function dumpOfWhole(pool: WholePool, bodyOf: BodyOf): PoolDump {
  if (pool instanceof PriorityPool) {
    pool.restored();
    return priorityDump(pool, bodyOf);
  }
  return fifoDump(pool.memory, bodyOf);
}

/** Returns the dump of a priority pool. `bodyOf` supplies the payloads of a mirror, which has none. */
export function priorityDump(pool: PriorityPool, bodyOf?: BodyOf): PoolDump {
  return { ...dumpOf(pool.index), ...contentOf('priority', pool, bodyOf) };
}

/** Returns the dump of a fifo pool. `bodyOf` supplies the payloads of a pool in memory without payloads. */
export function fifoDump(memory: MemoryPool, bodyOf?: BodyOf): PoolDump {
  const { fifo } = memory;
  const whole = contentOf('fifo', memory, bodyOf);
  const waiting = whole.content.flatMap((part) =>
    part.kind === 'write' && isWaiting(part.write.after) ? part.write : [],
  );
  const bytes = waiting.reduce((sum, { body }) => sum + (body?.payload.length ?? 0), 0);
  return {
    limits: { ...fifoLimits, maxTxs: fifo.maxTxs, acceptUntil: fifo.acceptUntil },
    lastGossipSeq: memory.lastSeq,
    totals: { transactions: waiting.length, bytes, gas: 0, parked: 0 },
    entries: [],
    order: Array.from(fifo.pending(), ({ hash }) => hash),
    providers: [],
    dependents: [],
    senders: [],
    claims: claimsOf(fifo.dump()?.lots ?? []),
    gossip: [],
    satisfied: [],
    ...whole,
  };
}

function isWaiting({ stage }: TxState): boolean {
  return stage === 'Pending' || stage === 'Propagated' || stage === 'Acknowledged';
}

function claimsOf(lots: DumpedClaims['lots']): [string, string[]][] {
  const byId = new Map<string, string[]>();
  for (const { claim, held } of lots)
    byId.set(claim.id, [...(byId.get(claim.id) ?? []), ...held.map(([hash]) => hash)]);
  return [...byId].map(([id, hashes]): [string, string[]] => [id, hashes.sort()]).sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * The content of a pool in canonical form (D3). `bodyOf` gives the payload of a transaction whose record in `pool` has
 * none.
 */
function contentOf(ordering: Ordering, pool: Pick<WholePool, 'dump'>, bodyOf: BodyOf = own): DumpedPool {
  const parts: DumpedPart[] = [];
  for (const record of pool.dump()) {
    switch (record.kind) {
      case 'event':
      case 'operation':
        break;
      case 'base':
        parts.push({ ...record, trimmedEvents: 0, ...(record.fifo && { fifo: canonical(record.fifo) }) });
        break;
      case 'write': {
        const { body } = record.write;
        parts.push({
          ...record,
          write: { ...record.write, after: told(record.write.after), body: body && plain(bodyOf(body)) },
        });
        break;
      }
      case 'record':
        parts.push({ kind: 'record', record: { ...record.record, value: Uint8Array.from(record.record.value) } });
        break;
      case 'block':
        parts.push({ kind: 'block', block: { ...record.block, sighted: record.block.sighted.toSorted() } });
        break;
      case 'version':
      case 'limits':
      case 'gossip':
      case 'satisfied':
      case 'entry':
        parts.push(record);
        break;
    }
  }
  return { ordering, content: parts.sort((a, b) => placeOf(a) - placeOf(b) || compareNames(a, b)) };
}

/** Only of what is Propagated or Acknowledged, all backends know when it went out. */
function told(state: TxState): TxState {
  const isOut = state.stage === 'Propagated' || state.stage === 'Acknowledged';
  return isOut || state.facts.sentAt === null ? state : { ...state, facts: { ...state.facts, sentAt: null } };
}

/** Claims by id and end, each with its transactions by seq. */
function canonical({ lots, ...limits }: DumpedClaims): DumpedClaims {
  const sorted = lots.map(({ claim, held }) => ({
    claim: { id: claim.id, owner: claim.owner, untilMs: claim.untilMs },
    held: held.toSorted(([, a], [, b]) => a - b),
  }));
  const name = ({ claim }: { readonly claim: ClaimRecord }): string => `${claim.id} ${claim.untilMs}`;
  return { ...limits, lots: sorted.sort((a, b) => (name(a) < name(b) ? -1 : 1)) };
}

/** Parts of these kinds come from maps. They are sorted, so that equal pools have equal contents. */
const kinds = ['base', 'limits', 'block', 'write', 'record', 'version', 'gossip', 'satisfied', 'entry'] as const;

function placeOf({ kind }: DumpedPart): number {
  return kinds.indexOf(kind);
}

function compareNames(a: DumpedPart, b: DumpedPart): number {
  const [first, second] = [nameOf(a), nameOf(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}

function nameOf(part: DumpedPart): string {
  if (part.kind === 'entry') return part.entry.hash;
  return part.kind === 'satisfied' ? part.tag : '';
}

function plain({ hash, payload, payloadType }: Transaction): Transaction {
  return { hash, payload: Uint8Array.from(payload), payloadType };
}

/** @throws `TypeError` for a transaction that no pool could have */
function assertWrite({ after, body }: Extract<DumpedPart, { readonly kind: 'write' }>['write']): void {
  const { hash, seq, stage, tick, facts } = after;
  const { receivedAt, attempts, sentAt } = facts;
  const isState =
    /^([0-9a-f]{2}){1,64}$/.test(hash) && knownStages.includes(stage) && [seq, tick, attempts].every(isCount);
  const isBody = body === null || (body.hash === hash && isBytes(body.payload) && isCount(body.payloadType));
  if (![receivedAt, sentAt].every(isOptionalCount)) throw new TypeError('not times of a transaction');
  if (!isState || !isBody || (body === null && isLive(stage))) throw new TypeError('not a transaction of a pool');
}

/**
 * Returns a checked copy of a content. It restores the content into a pool in memory and returns that pool's dump. It
 * returns a promise only for an asynchronous content; otherwise the copy is complete on return.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming `dump`; any error of the iterator
 */
export function checkContent(
  ordering: Ordering,
  given: PoolContent,
  signal: AbortSignal | undefined,
): Awaitable<readonly DumpedPart[]> {
  if (typeof given !== 'object' || given === null) throw notDumped();
  const { content } = given;
  if (typeof content !== 'object' || content === null) throw notDumped();
  if (given.ordering !== ordering) throw invalid('dump.ordering', `${ordering}, as the pool's`);
  const copy = new ContentCopy(ordering);
  if (Symbol.asyncIterator in content) return copyLater(copy, content, signal);
  if (!(Symbol.iterator in content)) throw notDumped();
  for (const part of content) copy.add(part);
  return copy.end();
}

async function copyLater(
  copy: ContentCopy,
  content: AsyncIterable<DumpedPart>,
  signal: AbortSignal | undefined,
): Promise<readonly DumpedPart[]> {
  for await (const part of content) {
    signal?.throwIfAborted();
    copy.add(part);
  }
  return copy.end();
}

function notDumped(cause?: unknown, part?: number): MempoolError {
  const error = invalid('dump', part === undefined ? 'what `dump` returned' : `of valid parts: part ${part} is not`);
  error.cause = cause;
  return error;
}

class ContentCopy {
  readonly #ordering: Ordering;
  readonly #pool: WholePool;
  #parts = 0;

  constructor(ordering: Ordering) {
    this.#ordering = ordering;
    this.#pool = wholePool(ordering);
  }

  add(part: DumpedPart): void {
    this.#parts += 1;
    try {
      if (!kinds.includes(part.kind)) throw new TypeError('an unknown part');
      if ((part.kind === 'base') !== (this.#parts === 1)) throw new TypeError('the base is the first part');
      if (part.kind === 'write') assertWrite(part.write);
      this.#pool.restore(part);
    } catch (cause) {
      throw notDumped(cause, this.#parts);
    }
  }

  end(): readonly DumpedPart[] {
    if (this.#parts === 0) throw notDumped();
    try {
      return contentOf(this.#ordering, this.#pool).content;
    } catch (cause) {
      throw notDumped(cause);
    }
  }
}
