import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'mempool-core';
import type { Election, Member } from 'mempool-election';
import type { EpochRecord } from '../contract/epoch.ts';
import { type EpochGap, type GapGrace, gapGrace, gapsOf } from '../rules/gaps.ts';
import { addParticipation, type Participation, participationOf } from '../rules/participation.ts';
import { isEnded } from '../rules/phases.ts';
import { Epochs } from '../store/epochs.ts';
import { recordNames } from '../store/names.ts';
import { type Namespace, type NamespaceOptions, openNamespace } from '../store/namespace.ts';
import { dayMs, EpochArchive, hourMs, keptHours } from './epoch-archive.ts';
import type { EpochRow } from './epoch-row.ts';
import { type Moment, momentsOf, type ShownEpoch, shownEpoch } from './epoch-views.ts';
import { RowReader } from './row-reader.ts';
import { addTotals, type EpochTotals, type ShownTotals, shownTotals } from './totals.ts';

/** Options of `EpochBoard.start`. */
export interface EpochBoardOptions extends NamespaceOptions {
  /** How long each level may take before it is a gap. */
  readonly grace?: Partial<GapGrace> | undefined;
  /** The time between two reads of the changes, in milliseconds; default 1,000. */
  readonly refreshMs?: number | undefined;
  /** The election of the namespace, such as that of an observer: its members are the workers. The caller stops it. */
  readonly election?: Pick<Election, 'members' | 'leader'> | undefined;
  /** Receives one message when reading fails, and one when it works again. */
  readonly log?: Logger | undefined;
}

/** How much waits in the pools of a namespace. */
export interface QueueStatus {
  readonly name: string;
  readonly pending: number;
  /** Under a claim. */
  readonly taken: number;
}

/** A process that works for the namespace, or did so. */
export interface EpochWorker {
  readonly name: string;
  readonly leads: boolean;
  /** False: its heartbeat is out of its time. */
  readonly alive: boolean;
  /** Of its last heartbeat, in milliseconds since 1970. */
  readonly seenAt: number;
}

/** The sums of an hour or a day. */
export interface PeriodTotals extends ShownTotals {
  readonly from: number;
  readonly to: number;
}

/** The epochs of a namespace in short. */
export interface EpochSummary {
  readonly protocol: string;
  readonly market: string;
  readonly current: ShownEpoch | null;
  /** Epochs that need somebody's work. */
  readonly active: number;
  /** Gaps that are open. */
  readonly openGaps: number;
  /** This hour and the 23 before it. */
  readonly lastDay: Omit<ShownTotals, 'validators'>;
  readonly validators: readonly Participation[];
}

/** The state at the beginning of a refresh. */
interface Looked {
  readonly active: ReadonlySet<number>;
  /** Records of epochs that this board has not seen. */
  readonly unseen: readonly { readonly value: EpochRecord }[];
  readonly startedAt: number;
}

const shownSilent = 100;

function shownMembers(members: readonly Member[], leading: string | null, now: number): EpochWorker[] {
  const workers = members.map(({ nodeId, alive, ageMs }) => {
    return { name: nodeId, leads: nodeId === leading, alive, seenAt: Math.round(now - ageMs) };
  });
  const living = workers.filter(({ alive }) => alive).sort((a, b) => (a.name < b.name ? -1 : 1));
  const silent = workers.filter(({ alive }) => !alive).sort((a, b) => b.seenAt - a.seenAt);
  return [...living, ...silent.slice(0, shownSilent)];
}

/** How long an ended epoch waits for the next look, as a share of its age. */
const rareness = 0.05;

const shownHours = 24;
const shownDays = keptHours / 24;

/**
 * Reports the epochs of a namespace: their phases, missing parts and participants. All of it follows from the records and the
 * pools' events. Any number of boards may watch one namespace.
 *
 * @example await using board = await EpochBoard.start({ protocol, market, openPool, removePool });
 */
export class EpochBoard implements AsyncDisposable {
  readonly namespace: Namespace;
  readonly #options: EpochBoardOptions;
  readonly #grace: GapGrace;
  readonly #epochs: Epochs;
  readonly #archive: EpochArchive;
  readonly #reader: RowReader;
  readonly #now: () => number;
  readonly #closing = new AbortController();
  /** When ended epochs were last looked at again. */
  readonly #lookedAt = new Map<number, number>();
  #newest: string | undefined;
  #queues: readonly QueueStatus[] = [];
  #workers: readonly EpochWorker[] = [];
  #generatedAt = 0;
  #isFailing = false;
  #isBlind = false;
  #running: Promise<void> = Promise.resolve();

  private constructor(namespace: Namespace, options: EpochBoardOptions) {
    this.namespace = namespace;
    this.#options = options;
    this.#grace = { ...gapGrace, ...options.grace };
    this.#now = options.now ?? Date.now;
    this.#epochs = new Epochs(namespace);
    this.#archive = new EpochArchive(namespace);
    this.#reader = new RowReader(namespace, this.#closing.signal);
  }

  /** Resolves when it has read all epochs. @throws any error of `openPool`, and the stores' errors */
  static async start(options: EpochBoardOptions): Promise<EpochBoard> {
    const board = new EpochBoard(await openNamespace(options), options);
    try {
      await board.#archive.load();
      const known = [...board.#archive.rows()].map(({ epoch }) => epoch);
      if (known.length > 0) board.#newest = recordNames.epoch(known.reduce((a, b) => Math.max(a, b)));
      await board.refresh();
    } catch (error) {
      await board.close();
      throw error;
    }
    board.#running = board.#run();
    return board;
  }

  /** Ends, and closes the pools that it has opened. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
    await this.namespace.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await delay(this.#options.refreshMs ?? 1_000, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.refresh();
        this.#tell(null);
      } catch (error) {
        if (!signal.aborted) this.#tell(error);
      }
    }
  }

  #tell(error: unknown): void {
    const isFailing = error !== null;
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    if (isFailing) this.#options.log?.('warn', 'the epochs cannot be read', { error });
    else this.#options.log?.('info', 'the epochs can be read again');
  }

  /** Reads the changes. @throws the stores' errors: then the answers stay as they were */
  async refresh(): Promise<void> {
    const startedAt = this.#now();
    // Before the records: an epoch that is not active then, and has ended, stays as it is.
    const active = new Set(await this.#epochs.active());
    const unseen = await this.namespace.records.list<EpochRecord>('epoch/', this.#newest);
    const hours = await this.#changing({ active, unseen, startedAt });
    for (const [hour, epochs] of hours) await this.#update(hour, epochs, active);
    await this.#archive.trim(startedAt);
    this.#queues = await this.#readQueues();
    await this.namespace.closeOthers([...active, ...this.#unsettled().map(({ epoch }) => epoch)]);
    this.#newest = unseen.at(-1)?.name ?? this.#newest;
    const kept = new Set(Array.from(this.#archive.rows(), ({ epoch }) => epoch));
    for (const epoch of this.#lookedAt.keys()) if (!kept.has(epoch)) this.#lookedAt.delete(epoch);
    await this.#readWorkers();
    this.#generatedAt = startedAt;
  }

  /** The epochs that may have changed, by the hour in which their window closes. */
  async #changing({ active, unseen, startedAt }: Looked): Promise<Map<number, Set<number>>> {
    const hours = new Map<number, Set<number>>();
    const add = ({ epoch, closesAt }: Pick<EpochRecord, 'epoch' | 'closesAt'>): void => {
      const hour = Math.floor(closesAt / hourMs);
      hours.set(hour, (hours.get(hour) ?? new Set()).add(epoch));
    };
    const known = new Map(Array.from(this.#archive.rows(), (row) => [row.epoch, row]));
    const oldest = startedAt - keptHours * hourMs;
    for (const { value } of unseen) if (value.closesAt >= oldest || active.has(value.epoch)) add(value);
    for (const row of known.values())
      if (!row.isSettled || active.has(row.epoch) || this.#isDue(row, startedAt)) add(row);
    const seen = new Set([...known.keys(), ...unseen.map(({ value }) => value.epoch)]);
    for (const epoch of active) {
      if (seen.has(epoch)) continue;
      const record = await this.#epochs.find(epoch);
      if (record !== null) add(record);
    }
    return hours;
  }

  /**
   * A later event of the chain does not make an ended epoch active again, so it is read again, the older the less often, until
   * the chain has it for good.
   */
  #isDue({ epoch, phase, counts, endedAt }: EpochRow, now: number): boolean {
    if (phase === 'complete' && counts.finalized === counts.counted) {
      this.#lookedAt.delete(epoch);
      return false;
    }
    const lookedAt = this.#lookedAt.get(epoch) ?? Number.NEGATIVE_INFINITY;
    if (now - lookedAt < (now - (endedAt ?? now)) * rareness) return false;
    this.#lookedAt.set(epoch, now);
    return true;
  }

  #update(hour: number, epochs: ReadonlySet<number>, active: ReadonlySet<number>): Promise<void> {
    return this.#archive.update(hour, async (before) => {
      const rows: EpochRow[] = [];
      for (const epoch of epochs) {
        const row = await this.#reader.read(epoch, before.get(epoch) ?? null, active.has(epoch));
        if (row !== null) rows.push(row);
      }
      return rows;
    });
  }

  #unsettled(): EpochRow[] {
    return [...this.#archive.rows()].filter(({ isSettled }) => !isSettled);
  }

  async #readQueues(): Promise<QueueStatus[]> {
    const { parts, incoming, outgoing } = this.namespace;
    const pools = Object.entries({ parts, incoming, outgoing });
    return Promise.all(
      pools.map(async ([name, pool]) => {
        const { pending, propagated: taken } = await pool.usage();
        return { name, pending, taken };
      }),
    );
  }

  /** The epochs are reported although the election cannot be read. Then no worker is listed. */
  async #readWorkers(): Promise<void> {
    const { election, log } = this.#options;
    if (election === undefined) return;
    try {
      const members = await election.members();
      this.#workers = shownMembers(members, election.leader?.nodeId ?? null, this.#now());
      if (this.#isBlind) log?.('info', 'the workers can be read again');
      this.#isBlind = false;
    } catch (error) {
      this.#workers = [];
      if (!this.#isBlind) log?.('warn', 'the workers cannot be read', { error });
      this.#isBlind = true;
    }
  }

  /** The time at which all answers were read, in milliseconds since 1970. */
  get generatedAt(): number {
    return this.#generatedAt;
  }

  /** The epochs of the last seven days and the ones that are not done, newest first. */
  rows(): readonly EpochRow[] {
    return [...this.#archive.rows()].sort((a, b) => b.epoch - a.epoch);
  }

  /** The epochs that are not done, newest first. */
  active(): readonly EpochRow[] {
    return this.rows().filter(({ phase }) => !isEnded(phase));
  }

  /** The newest epoch whose window is open, else the newest of all; `null`: there is none. */
  current(): ShownEpoch | null {
    const now = this.#now();
    const rows = this.rows();
    const row = rows.find(({ openedAt, closesAt }) => openedAt <= now && now < closesAt) ?? rows[0];
    return row === undefined ? null : shownEpoch(row);
  }

  /** The gaps of the epochs of `rows`. */
  gaps(): EpochGap[] {
    return this.rows().flatMap((row) => this.gapsOf(row));
  }

  /** The gaps of one epoch. */
  gapsOf(facts: Parameters<typeof gapsOf>[0]): EpochGap[] {
    return gapsOf(facts, this.#now(), this.#grace);
  }

  /** The moments of the epochs of `rows`. */
  moments(): Moment[] {
    const now = this.#now();
    return this.rows().flatMap((row) => momentsOf(row, this.gapsOf(row), now));
  }

  /** The queues: the pools that all epochs share, then the pools of the epochs that are not done. */
  queues(): readonly QueueStatus[] {
    const epochs = this.active().map(({ epoch, counts }) => ({
      name: `epoch:${epoch}`,
      pending: counts.pending,
      taken: counts.checking,
    }));
    return [...this.#queues, ...epochs];
  }

  /** The workers, the living first and by name, then at most 100 silent ones, the last one first. Empty without an election. */
  workers(): readonly EpochWorker[] {
    return this.#workers;
  }

  /** The last 24 hours, newest first. An epoch counts where its window closes. */
  hourly(): PeriodTotals[] {
    return this.#periods(shownHours, hourMs, (hour) => this.#archive.hour(hour));
  }

  /** The last seven days, newest first; days begin at midnight UTC. */
  daily(): PeriodTotals[] {
    return this.#periods(shownDays, dayMs, (day) => this.#archive.day(day));
  }

  #periods(count: number, lengthMs: number, totals: (period: number) => EpochTotals): PeriodTotals[] {
    const last = Math.floor(this.#now() / lengthMs);
    return Array.from({ length: count }, (_, i) => {
      const from = (last - i) * lengthMs;
      return { from, to: from + lengthMs, ...shownTotals(totals(last - i)) };
    });
  }

  summary(): EpochSummary {
    const { protocol, market } = this.#options;
    const last = Math.floor(this.#now() / hourMs);
    const hours = Array.from({ length: shownHours }, (_, i) => this.#archive.hour(last - i));
    const { validators: _, ...lastDay } = addTotals(hours);
    const counts = addParticipation(hours.map(({ validators }) => new Map(Object.entries(validators))));
    return {
      ...{ protocol, market, lastDay },
      current: this.current(),
      active: this.active().length,
      openGaps: this.gaps().filter(({ resolvedAt }) => resolvedAt === null).length,
      validators: participationOf(counts),
    };
  }
}
