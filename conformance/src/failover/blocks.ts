/** Follows the pool's block events, which are in commit order: which call caused each event, and under whose lease. */
import type { ChainPoint } from 'mempool-core';
import { entriesOf, type FailoverEntryOf, type FailoverRecord } from './record.ts';

type BlockEntry = FailoverEntryOf<'block'>;

/** Checks that each block is applied once, unless it was undone in between, that ticks have no gap, and that terms never decrease. */
export function blockFaults(record: FailoverRecord): string[] {
  const blocks = inCommitOrder(entriesOf(record, 'block'));
  return [
    ...contradictions(entriesOf(record, 'block')),
    ...chainFaults(blocks),
    ...causeFaults(record, blocks),
    ...answersWithoutBlock(record, blocks),
  ];
}

/** Each event once. */
function inCommitOrder(blocks: readonly BlockEntry[]): BlockEntry[] {
  const bySeq = new Map(blocks.map((block) => [block.eventSeq, block]));
  return [...bySeq.values()].sort((a, b) => a.eventSeq - b.eventSeq);
}

/** Two processes must have seen the same event under one number. */
function contradictions(blocks: readonly BlockEntry[]): string[] {
  const told = new Map<number, string>();
  return blocks.flatMap(({ eventSeq, action, point, tick }) => {
    const now = `${action} ${place(point)}, tick ${tick}`;
    const before = told.get(eventSeq) ?? now;
    told.set(eventSeq, before);
    return before === now ? [] : [`event ${eventSeq} is "${before}" to one and "${now}" to another`];
  });
}

function chainFaults(blocks: readonly BlockEntry[]): string[] {
  const chain = new AppliedChain();
  // The pool may have had blocks before the run.
  const first = blocks[0];
  let tick = first === undefined ? 0 : first.tick - Number(first.action === 'applied');
  const faults: string[] = [];
  for (const { action, point, tick: told } of blocks) {
    const expected = action === 'applied' ? tick + 1 : tick;
    if (told !== expected) faults.push(`${place(point)} was ${action} with tick ${told}, not ${expected}`);
    tick = action === 'applied' ? told : told - 1;
    const fault = action === 'applied' ? chain.grow(point) : chain.shrink(point);
    if (fault !== null) faults.push(fault);
  }
  return faults;
}

class AppliedChain {
  readonly #points: ChainPoint[] = [];
  readonly #hashes = new Set<string>();

  grow(point: ChainPoint): string | null {
    const isThere = this.#hashes.has(point.hash);
    this.#points.push(point);
    this.#hashes.add(point.hash);
    return isThere ? `${place(point)} was applied twice` : null;
  }

  shrink(point: ChainPoint): string | null {
    const end = this.#points.pop();
    if (end === undefined) return null;
    this.#hashes.delete(end.hash);
    return end.hash === point.hash ? null : `${place(point)} was undone, but the chain ended with ${place(end)}`;
  }
}

/** If an answer was lost, it is uncertain who applied a block. Only a block that no call explains is a fault. */
function causeFaults(record: FailoverRecord, blocks: readonly BlockEntry[]): string[] {
  const calls = callsByBlock(record);
  let highest = 0;
  return blocks.flatMap(({ action, point, tick }) => {
    if (action === 'undone') return [];
    const possible = calls(point, tick).map(({ term }) => term ?? 0);
    if (possible.length === 0) return [`${place(point)} was applied, and no call explains it`];
    const before = highest;
    highest = Math.max(highest, Math.min(...possible));
    const latest = Math.max(...possible);
    return latest < before ? [`${place(point)} was applied by term ${latest} after a block of term ${before}`] : [];
  });
}

type Sent = FailoverEntryOf<'sent'>;

/** The calls that may have applied a block: calls answered `applied`, and calls without an answer. */
function callsByBlock(record: FailoverRecord): (point: ChainPoint, tick: number) => readonly Sent[] {
  const answers = new Map(entriesOf(record, 'answered').map((entry) => [`${entry.pid} ${entry.call}`, entry]));
  const calls = Map.groupBy(
    entriesOf(record, 'sent').filter(({ verb }) => verb === 'confirm'),
    ({ point }) => point?.hash,
  );
  return ({ hash }, tick) =>
    (calls.get(hash) ?? []).filter(({ pid, call }) => {
      const answer = answers.get(`${pid} ${call}`);
      const isPossible = answer === undefined || answer.outcome.startsWith('ERR_');
      return isPossible || (answer.outcome === 'applied' && answer.tick === tick);
    });
}

function answersWithoutBlock(record: FailoverRecord, blocks: readonly BlockEntry[]): string[] {
  const applied = new Set(blocks.flatMap(({ action, point }) => (action === 'applied' ? [point.hash] : [])));
  return entriesOf(record, 'answered')
    .filter(({ outcome, point }) => outcome === 'applied' && point !== null && !applied.has(point.hash))
    .map(({ node, point }) => `${node} was told that slot ${point?.slot} is applied, and the pool has no event of it`);
}

function place({ slot, hash }: ChainPoint): string {
  return `block ${hash.slice(0, 8)} at slot ${slot}`;
}

type Held = FailoverEntryOf<'held'>;

/** Returns the lease that was held at each event, by number. It leaves out events for which the record does not prove the holder. */
export function holdersOf(record: FailoverRecord): ReadonlyMap<number, Held> {
  const held = entriesOf(record, 'held').toSorted((a, b) => a.at - b.at);
  const applied = entriesOf(record, 'block').filter(({ action }) => action === 'applied');
  const blocks = inCommitOrder(applied).map(({ eventSeq }) => eventSeq);
  const holders = new Map<number, Held>();
  let next = 0;
  for (const [index, after] of held.entries()) {
    const before = held[index - 1];
    while ((blocks[next] ?? Number.POSITIVE_INFINITY) <= (before?.eventSeq ?? 0)) next += 1;
    // A token is never used again, and a win raises the term: if both are equal before and after, nothing changed in between.
    if (before === undefined || before.token !== after.token || before.term !== after.term) continue;
    for (; (blocks[next] ?? Number.POSITIVE_INFINITY) <= after.eventSeq; next += 1)
      holders.set(blocks[next] as number, after);
  }
  return holders;
}

/** Checks that each block was applied by a call under the lease that was held then. */
export function holderFaults(record: FailoverRecord): string[] {
  const calls = callsByBlock(record);
  const holders = holdersOf(record);
  return inCommitOrder(entriesOf(record, 'block')).flatMap(({ eventSeq, point, tick }) => {
    const holder = holders.get(eventSeq);
    if (holder === undefined) return [];
    const possible = calls(point, tick);
    const isHolders = ({ term, token = holder.token }: (typeof possible)[number]): boolean =>
      holder.token !== null && term === holder.term && token === holder.token;
    if (possible.length === 0 || possible.some(isHolders)) return [];
    const by = [...new Set(possible.map(({ node, term }) => `${node} in term ${term}`))].join(' or ');
    const then = holder.token === null ? 'nobody held the lease' : `the lease of term ${holder.term} was held`;
    return [`${place(point)} was applied by ${by} while ${then}`];
  });
}
