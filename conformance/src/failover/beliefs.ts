/** When each process believed that it was the leader, and whether two did so at the same time. */
import { entriesOf, type FailoverEntryOf, type FailoverRecord, killFault } from './record.ts';

/** The time in which a process believed that it led: from the win to the first of the loss, the last deadline and the kill. */
export interface Belief {
  readonly node: string;
  readonly pid: number;
  readonly term: number;
  readonly token: string;
  readonly sentAt: number;
  readonly from: number;
  readonly to: number;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

const nsPerMs = 1e6;

export function beliefsOf(record: FailoverRecord): Belief[] {
  const kills = entriesOf(record, 'fault').filter(({ fault }) => fault === killFault);
  const lost = new Map(entriesOf(record, 'lost').map((entry) => [entry.token, entry.at]));
  const deadlines = new Map<string, number>();
  for (const { token, deadline } of [...entriesOf(record, 'acquired'), ...entriesOf(record, 'renewed')])
    deadlines.set(token, Math.max(deadlines.get(token) ?? 0, deadline));
  return entriesOf(record, 'acquired')
    .map(({ node, pid, term, token, sentAt, at, deadline }) => {
      const killed = kills.find((kill) => kill.pid === pid)?.at ?? Number.POSITIVE_INFINITY;
      const to = Math.min(lost.get(token) ?? Number.POSITIVE_INFINITY, deadlines.get(token) ?? deadline, killed);
      return { node, pid, term, token, sentAt, from: at, to };
    })
    .sort((a, b) => a.from - b.from);
}

/**
 * Returns the faults of beliefs that overlap. The exception is a lease that was removed from outside. Then beliefs may overlap for one
 * renew interval and a round trip, without the time in which the old leader was stopped or cut off, and every call of the old leader
 * must be fenced.
 */
export function overlapFaults(record: FailoverRecord): string[] {
  const beliefs = beliefsOf(record);
  const faults: string[] = [];
  for (const [index, later] of beliefs.entries()) {
    for (const earlier of beliefs.slice(0, index)) {
      if (earlier.to <= later.from) continue;
      // An answer may be late, so the term decides which of them led first.
      const fault =
        earlier.term <= later.term ? overlapFault(record, earlier, later) : overlapFault(record, later, earlier);
      if (fault !== null) faults.push(fault);
    }
  }
  return faults;
}

function overlapFault(record: FailoverRecord, earlier: Belief, later: Belief): string | null {
  const overlap = { from: Math.max(earlier.from, later.from), to: Math.min(earlier.to, later.to) };
  const who = `${earlier.node} (term ${earlier.term}) and ${later.node} (term ${later.term}) both lead`;
  const wholeMs = inMs(overlap.to - overlap.from);
  if (!wasTakenAway(record, earlier, later)) return `${who} for ${wholeMs} ms`;
  const [run] = entriesOf(record, 'run');
  const allowedMs = (run?.renewMs ?? 0) + (run?.roundTripMs ?? 0);
  const awareMs = inMs(overlap.to - overlap.from - hinderedFor(record, earlier.node, overlap));
  if (awareMs > allowedMs) return `${who} for ${awareMs} ms after the lease was removed, more than ${allowedMs} ms`;
  const passed = callsWithin(record, earlier, overlap).find(({ outcome }) => passesFence(outcome));
  return passed === undefined ? null : `${who}, and a ${passed.verb} of the first was ${passed.outcome}`;
}

/** An error means that the call got no answer. It does not mean that the call passed. */
function passesFence(outcome: string): boolean {
  return outcome !== 'fenced' && !outcome.startsWith('ERR_');
}

function wasTakenAway(record: FailoverRecord, earlier: Belief, later: Belief): boolean {
  return spans(record, ({ removesLease }) => removesLease).some(
    ({ from, to }) => to >= earlier.sentAt && from <= later.from,
  );
}

/** The time within a span in which the node or the store could not work. */
function hinderedFor(record: FailoverRecord, node: string, within: Span): number {
  let [covered, end] = [0, within.from];
  const hindered = spans(record, ({ target }) => target === node || target === null);
  for (const { from, to } of hindered.sort((a, b) => a.from - b.from)) {
    const [start, stop] = [Math.max(from, end), Math.min(to, within.to)];
    if (stop <= start) continue;
    covered += stop - start;
    end = stop;
  }
  return covered;
}

/** From each fault until it is healed. A fault that is never healed lasts to the end. */
function spans(record: FailoverRecord, isMeant: (fault: FailoverEntryOf<'fault'>) => boolean): Span[] {
  const healed = entriesOf(record, 'healed');
  return entriesOf(record, 'fault')
    .filter(isMeant)
    .map(({ fault, target, at }) => {
      const end = healed.find((entry) => entry.fault === fault && entry.target === target && entry.at >= at);
      return { from: at, to: end?.at ?? Number.POSITIVE_INFINITY };
    });
}

function callsWithin(record: FailoverRecord, { pid, term }: Belief, { from, to }: Span): FailoverEntryOf<'answered'>[] {
  const sent = entriesOf(record, 'sent').filter(
    (entry) => entry.pid === pid && entry.term === term && entry.at >= from && entry.at <= to,
  );
  const calls = new Set(sent.map((entry) => entry.call));
  return entriesOf(record, 'answered').filter((entry) => entry.pid === pid && calls.has(entry.call));
}

function inMs(ns: number): number {
  return Math.round(ns / nsPerMs);
}
