/** Records of fail-over runs, made by hand. Times are given in milliseconds. */
import type { FailoverEntry, FailoverEntryOf, FailoverRecord } from 'mempool-conformance/failover';

export function ms(time: number): number {
  return time * 1e6;
}

export function hash(name: string): string {
  return Buffer.from(name.padEnd(32, '.')).toString('hex');
}

export function point(slot: number): { slot: number; hash: string } {
  return { slot, hash: hash(`block ${slot}`) };
}

export const run: FailoverEntry = { kind: 'run', at: 0, ttlMs: 1_000, renewMs: 333, roundTripMs: 100, seed: 1 };
export const final: FailoverEntry = { kind: 'final', at: ms(9_000), digest: 'same', expected: 'same' };

/** Two processes of the same node are `a` and `a'`. */
function writer(process: string, at: number) {
  return { at: ms(at), node: process.charAt(0), pid: process.charCodeAt(0) * 10 + process.length };
}

export function acquired(process: string, at: number, term: number, untilMs = at + 900): FailoverEntryOf<'acquired'> {
  const times = { sentAt: ms(at - 1), deadline: ms(untilMs) };
  return { kind: 'acquired', ...writer(process, at), term, token: `token ${term}`, ...times };
}

export function renewed(process: string, at: number, term: number): FailoverEntry {
  return { kind: 'renewed', ...writer(process, at), term, token: `token ${term}`, deadline: ms(at + 900) };
}

export function lost(process: string, at: number, term: number): FailoverEntryOf<'lost'> {
  return { kind: 'lost', ...writer(process, at), term, token: `token ${term}`, reason: 'stopped' };
}

interface CallOptions {
  readonly term: number;
  /** Of another lease than that of the term. */
  readonly token?: string;
  readonly slot: number;
  readonly tick?: number;
  readonly outcome?: string;
  readonly verb?: 'confirm' | 'rollback';
  readonly tookMs?: number;
}

export function sent(process: string, at: number, options: CallOptions): FailoverEntry {
  const { term, slot, verb = 'confirm', token = `token ${term}` } = options;
  return { kind: 'sent', ...writer(process, at), call: at, verb, point: point(slot), term, token };
}

/** A call and its answer. */
export function call(process: string, at: number, options: CallOptions): FailoverEntry[] {
  const { term, slot, verb = 'confirm', outcome = 'applied', tick = slot, tookMs = 1 } = options;
  const of = { call: at, verb, point: point(slot), term, token: `token ${term}` };
  return [sent(process, at, options), { kind: 'answered', ...writer(process, at + tookMs), ...of, outcome, tick }];
}

/** What the store says: `term` of the lease that is held, or `null`, the newest given out being `newest`. */
export function held(at: number, eventSeq: number, term: number | null, newest = term ?? 0): FailoverEntryOf<'held'> {
  return { kind: 'held', at: ms(at), eventSeq, term: newest, token: term === null ? null : `token ${term}` };
}

export function block(at: number, eventSeq: number, slot: number, tick = slot): FailoverEntryOf<'block'> {
  return { kind: 'block', at: ms(at), eventSeq, action: 'applied', point: point(slot), tick };
}

export function fault(name: string, target: string | null, at: number, untilMs: number): FailoverEntry[] {
  const pid = target === null ? null : writer(target, at).pid;
  const node = target === null ? null : target.charAt(0);
  const removesLease = name === 'delete the lock';
  return [
    { kind: 'fault', at: ms(at), fault: name, target: node, pid, removesLease },
    { kind: 'healed', at: ms(untilMs), fault: name, target: node },
  ];
}

export function record(...entries: readonly FailoverEntry[]): FailoverRecord {
  return { entries, torn: [], lines: entries.length };
}

/** Node a leads, hands over to b, which is killed; a's next process leads and undoes what b did last. */
export function soundRun(): FailoverEntry[] {
  return [
    run,
    acquired('a', 100, 1),
    held(110, 0, 1),
    ...call('a', 150, { term: 1, slot: 1 }),
    block(151, 1, 1),
    renewed('a', 400, 1),
    held(410, 1, 1),
    lost('a', 500, 1),
    acquired('b', 510, 2),
    held(511, 1, 2),
    ...call('b', 520, { term: 2, slot: 2 }),
    block(521, 2, 2),
    sent('b', 530, { term: 2, slot: 3 }),
    block(531, 3, 3),
    held(540, 3, 2),
    held(1_440, 3, null, 2),
    ...fault('kill -9', 'b', 600, 600),
    acquired("a'", 1_450, 3),
    ...call("a'", 1_460, { term: 3, slot: 2, verb: 'rollback', outcome: 'rolled-back', tick: 2 }),
    { ...block(1_461, 4, 3), action: 'undone' },
    ...call("a'", 1_470, { term: 3, slot: 3 }),
    block(1_471, 5, 3),
    held(1_472, 5, 3),
    lost("a'", 1_500, 3),
    final,
  ];
}
