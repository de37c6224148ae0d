import { type EpochRecord, type Namespace, openNamespace, quorum } from 'mempool-sequencer';
import { fatesAt, possibleRoots, winnersAt } from './expectation.ts';
import type { Fed } from './feeder.ts';
import { homeOf } from './home.ts';
import { type Recount, recountOf, type Told, toldBy } from './recount.ts';
import type { Validator } from './stage.ts';
import type { Planned, Traffic } from './traffic.ts';

/** The state of an epoch's pool at a validator. */
interface Found {
  readonly record: EpochRecord;
  /** The end of each, once for each end. */
  readonly ends: readonly (readonly [hash: string, end: string])[];
  /** By stage, the transactions that have not ended. */
  readonly open: readonly (readonly [hash: string, stage: string])[];
  /** In the event log. */
  readonly told: Told;
}

/** The judge's input. */
export interface Outside {
  /** That the chain has for the epoch; `null`: none. */
  readonly root: string | null;
  /** The validators that were cut off from all other validators meanwhile. */
  readonly cutOff: ReadonlySet<string>;
}

/** The result of the whole run at one epoch. */
export interface Verdict {
  readonly epoch: number;
  /** Of the epoch at each validator. */
  readonly phases: readonly string[];
  readonly reasons: readonly (string | null)[];
  /** When each validator heard of the epoch, in milliseconds before the end of its window. */
  readonly heard: readonly number[];
  readonly counted: number;
  readonly dropped: number;
  /** At the first validator, which has the monitor; `null`: it knows nothing of the epoch. */
  readonly recount: Recount | null;
  readonly violations: readonly string[];
}

/** Reads the validators' pools, and compares them with the expected result. */
export class Judge implements AsyncDisposable {
  readonly #validators: readonly Validator[];
  readonly #namespaces: readonly Namespace[];

  private constructor(validators: readonly Validator[], namespaces: readonly Namespace[]) {
    this.#validators = validators;
    this.#namespaces = namespaces;
  }

  static async open(validators: readonly Validator[]): Promise<Judge> {
    return new Judge(validators, await Promise.all(validators.map(({ config }) => openNamespace(homeOf(config)))));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const namespace of this.#namespaces) await namespace.close();
  }

  /** True when all validators have read the release of an epoch. */
  async isOpen(epoch: number): Promise<boolean> {
    const records = await Promise.all(this.#namespaces.map((namespace) => recordOf(namespace, epoch)));
    return records.every((record) => record !== null);
  }

  /** True when an epoch has ended at all validators, and nothing of it waits for anything. */
  async isSettled(epoch: number): Promise<boolean> {
    const settled = await Promise.all(this.#namespaces.map((namespace) => isSettled(namespace, epoch)));
    return settled.every((each) => each);
  }

  async judge(traffic: Traffic, fed: Fed, { root, cutOff }: Outside): Promise<Verdict> {
    const { epoch, planned } = traffic;
    const violations: string[] = [];
    const found: Found[] = [];
    let recount: Recount | null = null;
    for (const [i, { name }] of this.#validators.entries()) {
      const namespace = this.#namespaces[i] as Namespace;
      const at = await foundIn(namespace, epoch);
      const wrong = at === null ? ['it is unknown'] : wrongAt(at, planned, fed.acknowledged.get(name) ?? new Set());
      violations.push(...wrong.map((what) => `epoch ${epoch}, ${name}: ${what}`));
      if (at !== null) found.push(at);
      if (at !== null && i === 0) recount = await recountOf(namespace, at.record, at.told);
      await namespace.closeOthers([]);
    }
    // Without a fault that keeps validators from each other there is no reason to fail.
    const mayFail = this.#validators.length - cutOff.size < quorum(this.#validators.length);
    violations.push(...wrongRoots(found, planned, root, mayFail).map((what) => `epoch ${epoch}: ${what}`));
    const ends = found.flatMap(({ ends: all }) => all);
    return {
      epoch,
      phases: found.map(({ record }) => record.phase),
      reasons: found.map(({ record }) => record.reason),
      heard: found.map(({ record }) => record.closesAt - record.openedAt),
      counted: ends.filter(([, end]) => end === 'counted').length,
      dropped: ends.filter(([, end]) => end !== 'counted').length,
      recount,
      violations,
    };
  }

  /** The remains in the validators' namespaces where nothing should be. */
  async leftOver(): Promise<string[]> {
    const left: string[] = [];
    for (const [i, { name }] of this.#validators.entries()) {
      const { records, parts, incoming, outgoing } = this.#namespaces[i] as Namespace;
      for (const each of await records.list('active/')) left.push(`${name}: ${each.name} is there still`);
      for (const [what, pool] of Object.entries({ parts, incoming, outgoing })) {
        const { pending, propagated } = await pool.usage();
        if (pending + propagated > 0) left.push(`${name}: ${what}: ${pending} wait, ${propagated} are taken`);
      }
      const { acknowledged } = await parts.usage();
      if (acknowledged > 0) left.push(`${name}: ${acknowledged} parts are left`);
    }
    return left;
  }
}

async function isSettled(namespace: Namespace, epoch: number): Promise<boolean> {
  const record = await recordOf(namespace, epoch);
  if (record === null || (record.phase !== 'complete' && record.phase !== 'failed')) return false;
  const { pending, propagated, acknowledged } = await namespace.withEpoch(record, (pool) => pool.usage());
  return pending + propagated + (record.phase === 'complete' ? acknowledged : 0) === 0;
}

async function recordOf({ records }: Namespace, epoch: number): Promise<EpochRecord | null> {
  return (await records.read<EpochRecord>(`epoch/${String(epoch).padStart(16, '0')}`))?.value ?? null;
}

async function foundIn(namespace: Namespace, epoch: number): Promise<Found | null> {
  const record = await recordOf(namespace, epoch);
  if (record === null) return null;
  return namespace.withEpoch(record, async (pool) => {
    const ends: (readonly [string, string])[] = [];
    for await (const { hash, stage, reason } of pool.finalized()) {
      const why = typeof reason === 'object' && reason !== null ? reason.app : reason;
      ends.push([hash, stage === 'Finalized' ? 'counted' : String(why)]);
    }
    const open: (readonly [string, string])[] = [];
    for await (const { hash, stage } of pool.inflight()) open.push([hash, stage]);
    for await (const { hash } of pool.pending()) open.push([hash, 'Pending']);
    return { record, ends, open, told: await toldBy(pool) };
  });
}

function wrongAt(
  { record, ends, open, told }: Found,
  planned: readonly Planned[],
  acknowledged: ReadonlySet<string>,
): string[] {
  const wrong: string[] = [];
  const lateMs = record.openedAt - record.closesAt;
  if (lateMs >= 0) wrong.push(`its release was read ${lateMs / 1_000} s after the end of its window`);
  const stored = new Set([...ends, ...open].map(([hash]) => hash));
  const fates = fatesAt(planned, stored);
  for (const hash of acknowledged) if (!stored.has(hash)) wrong.push(`${hash} was received, and is not there`);
  for (const hash of stored) if (!fates.has(hash)) wrong.push(`${hash} is there, and was not sent in time`);
  for (const [hash, end] of ends)
    if (fates.get(hash) !== end) wrong.push(`${hash} ended ${end}, and not ${fates.get(hash)}`);
  if (ends.length !== new Set(ends.map(([hash]) => hash)).size) wrong.push('a submission ended more than once');
  for (const [hash, stage] of open) {
    // The submissions counted by an epoch without a result are neither final nor wrong.
    const isOfFailed = record.phase === 'failed' && stage === 'Acknowledged' && fates.get(hash) === 'counted';
    if (!isOfFailed) wrong.push(`${hash} is ${stage} still`);
  }
  for (const [hash] of ends)
    if (told.ends.get(hash) !== 1)
      wrong.push(`the events tell ${told.ends.get(hash) ?? 0} times of the end of ${hash}`);
  const counted = [...fates.values()].filter((fate) => fate === 'counted').length;
  const tallied = record.tally?.counted;
  if (tallied !== undefined && tallied !== counted) wrong.push(`${tallied} were tallied, and not ${counted}`);
  if (record.phase !== 'complete' && record.phase !== 'failed') wrong.push(`it is in the phase ${record.phase} still`);
  return wrong;
}

const winnersOf = ({ ends, open }: Found, planned: readonly Planned[]): Map<string, string> =>
  winnersAt(planned, new Set([...ends, ...open].map(([hash]) => hash)));

/** The reason of a failed epoch must be true: `no_submissions` if none counted, else no quorum. */
function isTrueFailure(found: Found): boolean {
  const { phase, reason, tally } = found.record;
  if (phase !== 'failed') return false;
  return reason === 'no_submissions' ? tally?.counted === 0 : reason === 'no_quorum' || reason === 'no_certificate';
}

/** `mayFail`: too few validators could reach each other. */
function wrongRoots(
  found: readonly Found[],
  planned: readonly Planned[],
  chainRoot: string | null,
  mayFail: boolean,
): string[] {
  const failed = found.filter(({ record }) => record.phase === 'failed');
  if (chainRoot === null) {
    if (mayFail && found.every(isTrueFailure)) return [];
    const ends = found.map(({ record: { phase, reason } }) => `${phase} (${reason})`);
    return [`the chain has no root, and the epoch is ${ends.join(', ')}`];
  }
  const wrong = found.filter(({ record }) => record.root !== chainRoot).map(({ record }) => `a root is ${record.root}`);
  for (const { record } of failed) wrong.push(`it failed (${record.reason}) although the chain has a root`);
  const winners = found.map((each) => winnersOf(each, planned));
  if (!possibleRoots(winners, quorum(found.length)).has(chainRoot))
    wrong.push('no set of batches has the root of the chain');
  return wrong.length === 0 ? [] : [...wrong, `the chain has the root ${chainRoot}`];
}
