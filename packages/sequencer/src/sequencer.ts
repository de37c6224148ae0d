import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Agreement, Certificate } from './contract/batch.ts';
import type { EpochRecord, Phase } from './contract/epoch.ts';
import { Aggregator } from './roles/aggregator.ts';
import type { AggregatorOptions } from './roles/aggregator-options.ts';
import { type BroadcastOptions, broadcast } from './roles/broadcast.ts';
import { Dequeuer, type DequeuerOptions } from './roles/dequeuer.ts';
import { Finalizer, type FinalizerOptions } from './roles/finalizer.ts';
import { Gateway, type GatewayOptions } from './roles/gateway.ts';
import { EpochMonitor, type EpochMonitorOptions, type LeaderPart } from './roles/monitor.ts';
import { together } from './roles/together.ts';
import { Window } from './roles/window.ts';
import { phases } from './rules/phases.ts';
import { Batches } from './store/batches.ts';
import { StoreClock } from './store/clock.ts';
import { Epochs } from './store/epochs.ts';
import { recordNames } from './store/names.ts';
import { type Namespace, type NamespaceOptions, openNamespace } from './store/namespace.ts';

/** Options of `openSequencer`: the options of its parts. */
export interface SequencerOptions
  extends NamespaceOptions,
    AggregatorOptions,
    Pick<EpochMonitorOptions, 'level1TimeoutMs' | 'report' | 'keepMs' | 'archive' | 'pruneMs'>,
    GatewayOptions,
    Pick<DequeuerOptions, 'verify' | 'claimMs'>,
    Pick<BroadcastOptions, 'gossip' | 'resendMs'> {
  /** The name of this process in claims; default host name and process id. */
  readonly owner?: string | undefined;
  /** How long the claim of a finalizer lasts; default 30,000. */
  readonly partClaimMs?: FinalizerOptions['claimMs'];
  /** How long the claim of a message lasts, to other validators or of them; default 30,000. */
  readonly messageClaimMs?: BroadcastOptions['claimMs'];
  /** How long the parts wait when there is nothing to do, in milliseconds; default 50. */
  readonly idleMs?: number | undefined;
  /**
   * Receives a warning: by how many milliseconds this process's clock is ahead of the store's (negative: behind), if by more than 500. They
   * are compared at the start and every 30 s.
   */
  readonly reportClock?: ((offsetMs: number) => void) | undefined;
}

/** All parts of one validator in one process. Any number of processes may share a validator's pools; one of them leads. */
export class Sequencer implements AsyncDisposable {
  readonly namespace: Namespace;
  readonly window: Window;
  readonly gateway: Gateway;
  readonly dequeuer: Dequeuer;
  readonly finalizer: Finalizer;
  readonly aggregator: Aggregator;
  readonly monitor: EpochMonitor;
  /** This process's clock, compared with the store's. */
  readonly clock: StoreClock;
  readonly #epochs: Epochs;
  readonly #batches: Batches;
  readonly #options: SequencerOptions;
  readonly #owner: string;

  constructor(namespace: Namespace, clock: StoreClock, options: SequencerOptions) {
    const owner = options.owner ?? `${hostname().slice(0, 100)}:${process.pid}`;
    this.#owner = owner;
    this.#options = options;
    this.#epochs = new Epochs(namespace);
    this.#batches = new Batches(namespace);
    this.namespace = namespace;
    this.clock = clock;
    this.window = new Window(namespace);
    this.gateway = new Gateway(namespace, options);
    this.dequeuer = new Dequeuer(namespace, { ...options, owner });
    this.finalizer = new Finalizer(namespace, { owner, claimMs: options.partClaimMs });
    this.aggregator = new Aggregator(namespace, options);
    this.monitor = new EpochMonitor(namespace, this.aggregator, options);
  }

  /** The work of every process, until the signal aborts: it checks, counts, sends batches and receives batches. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const owner = this.#owner;
    const { gossip, resendMs, messageClaimMs: claimMs } = this.#options;
    await together(signal, [
      (until) => this.dequeuer.run({ signal: until }),
      (until) => this.finalizer.run({ signal: until }),
      (until) => this.aggregator.collect({ owner, claimMs, signal: until }),
      (until) => broadcast(this.namespace, { owner, claimMs, signal: until, gossip, resendMs }),
    ]);
  }

  /** The further work of the leader, until the signal aborts. @throws as `EpochMonitor.run` */
  lead(leadership: LeaderPart, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    return this.monitor.run(leadership, { signal });
  }

  /** The record of an epoch; `null` if it is unknown, or forgotten. */
  epoch(epoch: number): Promise<EpochRecord | null> {
    return this.#epochs.find(epoch);
  }

  /** The epochs that need somebody's work, by number. */
  activeEpochs(): Promise<number[]> {
    return this.#epochs.active();
  }

  /**
   * The result of all batches at this validator; `null` before. Batches that come before there is a certificate may change it.
   * Its root may differ from the root of the certificate. A chain takes the latter.
   */
  async agreement(epoch: number): Promise<Agreement | null> {
    return (await this.namespace.records.read<Agreement>(recordNames.agreed(epoch)))?.value ?? null;
  }

  /** The signatures of a quorum under one root; `null` before. The epoch's record has the time, in `certifiedAt`. */
  certificate(epoch: number): Promise<Certificate | null> {
    return this.#batches.certificate(epoch);
  }

  /**
   * Waits until an epoch is in this phase or a later one, of which `failed` is one. Returns its record.
   * @throws the signal's reason; `RangeError` if there is no such epoch
   */
  async waitFor(epoch: number, phase: Phase, { signal }: { readonly signal?: AbortSignal } = {}): Promise<EpochRecord> {
    for (;;) {
      signal?.throwIfAborted();
      const record = await this.epoch(epoch);
      if (record === null) throw new RangeError(`there is no epoch ${epoch}`);
      if (phases.indexOf(record.phase) >= phases.indexOf(phase)) return record;
      await delay(this.#options.idleMs ?? 50, undefined, { signal });
    }
  }

  /** Closes all pools. End `run` and `lead` before. */
  async close(): Promise<void> {
    await this.clock.stop();
    await this.namespace.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Opens the pools of a validator and makes its parts. Nothing runs yet.
 * @throws `ClockError` if this process's clock and the store's differ by more than 5 s; any error of `openPool`
 */
export async function openSequencer(options: SequencerOptions): Promise<Sequencer> {
  const namespace = await openNamespace(options);
  const { records, now } = namespace;
  try {
    const clock = await StoreClock.start({ records, now, report: options.reportClock ?? (() => undefined) });
    return new Sequencer(namespace, clock, options);
  } catch (error) {
    await namespace.close();
    throw error;
  }
}
