/** Checks the record of a fail-over run against the promises of an election with fencing. */
import { beliefsOf, overlapFaults } from './beliefs.ts';
import { blockFaults, holderFaults } from './blocks.ts';
import { entriesOf, type FailoverEntryOf, type FailoverRecord, killFault } from './record.ts';

export const failoverRules = {
  record: 'the record is whole',
  fence: 'no block is accepted from a term once a higher one was acquired',
  holder: 'each block is applied under the lease that the store had then',
  terms: 'terms strictly rise',
  blocks: 'each block is applied once, one tick after the other',
  lost: 'one "lost" per "acquired"',
  beliefs: 'no two processes lead at once',
  final: 'the final state is that of a single node',
} as const;

export type FailoverRule = keyof typeof failoverRules;

export interface Violation {
  readonly rule: FailoverRule;
  /** A description of one line. */
  readonly message: string;
}

/** Returns every violation in the record; empty if there is none. */
export function checkFailover(record: FailoverRecord): Violation[] {
  const found: readonly (readonly [FailoverRule, readonly string[]])[] = [
    ['record', recordFaults(record)],
    ['fence', fenceFaults(record)],
    ['holder', holderFaults(record)],
    ['terms', termFaults(record)],
    ['blocks', blockFaults(record)],
    ['lost', lostFaults(record)],
    ['beliefs', overlapFaults(record)],
    ['final', finalFaults(record)],
  ];
  return found.flatMap(([rule, messages]) => messages.map((message) => ({ rule, message })));
}

/** A killed process may leave half a line. The last line of the file may be incomplete too. */
function recordFaults(record: FailoverRecord): string[] {
  const kills = entriesOf(record, 'fault').filter(({ fault }) => fault === killFault).length;
  const unexplained = record.torn.filter((line) => line !== record.lines);
  const faults: string[] = [];
  if (unexplained.length > kills)
    faults.push(`${unexplained.length} lines are no entries (the first is ${unexplained[0]}), with ${kills} kills`);
  if (entriesOf(record, 'run').length !== 1) faults.push('there is not exactly one run in it');
  if (entriesOf(record, 'acquired').length === 0) faults.push('nobody ever led');
  return faults;
}

/** By time: a call sent after a higher term was acquired must not be accepted. By commit order: see `blockFaults`. */
function fenceFaults(record: FailoverRecord): string[] {
  const beliefs = beliefsOf(record);
  const sentAt = firstSendings(record);
  return entriesOf(record, 'answered')
    .filter(({ outcome }) => outcome === 'applied' || outcome === 'rolled-back')
    .flatMap((answer) => {
      const { node, verb, point, term, outcome } = answer;
      const sent = sentAt.get(nameOf(answer)) ?? answer.at;
      const higher = beliefs.find((belief) => belief.from < sent && belief.term > (term ?? 0));
      if (higher === undefined) return [];
      const what = `${verb} of ${node} to slot ${point?.slot ?? 'none'}, term ${term}, was ${outcome}`;
      return [`a ${what} after ${higher.node} had acquired term ${higher.term}`];
    });
}

type Call = FailoverEntryOf<'sent'> | FailoverEntryOf<'answered'>;

/** Equal for calls of one process with the same request under the same lease. */
function nameOf({ pid, verb, point, term }: Call): string {
  return `${pid} ${verb} ${point?.hash} ${term}`;
}

/** A repeated call may get the first call's answer (X2), so the first call's time counts. */
function firstSendings(record: FailoverRecord): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const sent of entriesOf(record, 'sent'))
    times.set(nameOf(sent), Math.min(sent.at, times.get(nameOf(sent)) ?? sent.at));
  return times;
}

/** A win is later than another if its campaign was sent after the other win was known. It must have the higher term. */
function termFaults(record: FailoverRecord): string[] {
  const beliefs = beliefsOf(record);
  return beliefs.flatMap((later, index) =>
    beliefs
      .slice(0, index)
      .filter(({ from, term }) => term === later.term || (term > later.term && from < later.sentAt))
      .map(({ node, term }) => `${later.node} acquired term ${later.term} after ${node} had acquired term ${term}`),
  );
}

function lostFaults(record: FailoverRecord): string[] {
  const acquired = entriesOf(record, 'acquired');
  const lost = entriesOf(record, 'lost');
  const killed = new Set(entriesOf(record, 'fault').flatMap(({ fault, pid }) => (fault === killFault ? [pid] : [])));
  const missing = acquired.flatMap(({ node, pid, term, token }) => {
    const times = lost.filter((entry) => entry.token === token).length;
    if (times === 1 || (times === 0 && killed.has(pid))) return [];
    return [`${node} acquired term ${term} and lost it ${times} times`];
  });
  const tokens = new Set(acquired.map(({ token }) => token));
  const unknown = lost.filter(({ token }) => !tokens.has(token));
  const late = acquired.filter((won) => lost.some((entry) => entry.pid === won.pid && isLate(entry, won, acquired)));
  return [
    ...missing,
    ...late.map(({ node, term }) => `${node} acquired term ${term} before it had lost the term before`),
    ...unknown.map(({ node, term }) => `${node} lost term ${term} without having acquired it`),
  ];
}

type Won = FailoverEntryOf<'acquired'>;

/** Whether a process won again before it reported the loss of an earlier term. */
function isLate(lost: FailoverEntryOf<'lost'>, won: Won, acquired: readonly Won[]): boolean {
  const earlier = acquired.find(({ token }) => token === lost.token);
  return earlier !== undefined && earlier.at < won.at && won.at < lost.at;
}

function finalFaults(record: FailoverRecord): string[] {
  const finals = entriesOf(record, 'final');
  if (finals.length === 0) return ['the record has no final state'];
  return finals
    .filter(({ digest, expected }) => digest !== expected)
    .map(({ digest, expected }) => `the state's digest is ${digest}, a single node's is ${expected}`);
}
