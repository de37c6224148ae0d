import { createHash } from 'node:crypto';
import type { Election } from 'mempool-election';
import {
  encodeSubmission,
  openSequencer,
  poolNames,
  type Sequencer,
  type SequencerOptions,
  type SignedDigest,
  type SlotSignature,
  type Submission,
  submissionDigest,
} from '../src/index.ts';
import type { Home } from './home.ts';

type Unsigned = Omit<Submission, 'signature'>;

const digestOf = (...parts: readonly (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** Of all signatures in these tests. */
export const domain = 'd0'.repeat(32);

/** Signs as the slot, with a secret that only the slot and the verifier know. */
export function signatureOf(submission: Unsigned): string {
  return digestOf('secret', submission.slot, submissionDigest({ ...submission, domain }));
}

export function signed(submission: Unsigned): Uint8Array {
  return encodeSubmission({ ...submission, signature: signatureOf(submission) });
}

export const verifySlot = ({ digest, slot, signature }: SlotSignature): boolean =>
  signature === digestOf('secret', slot, digest);
/** The application refuses some contents. */
export const verify = ({ cid }: Submission): boolean => !cid.startsWith('rejected');
export const isSlot = (slot: number): boolean => slot <= 50;
export const verifyBatch = ({ digest, validator, signature }: SignedDigest): boolean =>
  signature === digestOf('validator', validator, digest);

/** The options of a validator's process, without where its pools are. */
export function optionsOf(validator: string): Omit<SequencerOptions, 'openPool' | 'removePool'> {
  return {
    protocol: `protocol-${validator}`,
    market: 'market',
    validator,
    domain,
    verify,
    isSlot,
    verifySlot,
    publish: ({ root }) => `cid-${root.slice(0, 8)}`,
    sign: (digest) => digestOf('validator', validator, digest),
    verifyBatch,
    gossip: () => undefined,
    idleMs: 10,
  };
}

/** One validator: some processes, of which one leads. */
export class Validator {
  readonly name: string;
  readonly home: Home;
  readonly processes: readonly Sequencer[];
  readonly elections: readonly Election[];
  /** Of its processes. */
  readonly options: SequencerOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>[] = [];
  #joining: Promise<void> | null = null;

  constructor(options: SequencerOptions, home: Home, processes: readonly Sequencer[], elections: readonly Election[]) {
    this.options = options;
    this.name = options.validator;
    this.home = home;
    this.processes = processes;
    this.elections = elections;
  }

  get first(): Sequencer {
    return this.processes[0] as Sequencer;
  }

  /** The leader's part. */
  get leadership() {
    const leader = this.elections.find((each) => each.isLeader());
    if (leader?.leadership == null) throw new Error(`${this.name} has no leader`);
    return leader.leadership;
  }

  /** Without `isCounting` nobody counts parts before `count`. */
  async start({ isCounting = true } = {}): Promise<void> {
    const { signal } = this.#stop;
    await this.join();
    for (const [i, election] of this.elections.entries()) {
      const sequencer = this.processes[i] as Sequencer;
      this.#running.push(isCounting ? sequencer.run({ signal }) : sequencer.dequeuer.run({ signal }));
      this.#running.push(this.#lead(election, sequencer));
    }
  }

  /** Takes part in the election, and does nothing else yet. */
  join(): Promise<void> {
    this.#joining ??= this.#join();
    return this.#joining;
  }

  async #join(): Promise<void> {
    for (const election of this.elections) await election.start();
    await this.elections[0]?.campaign();
  }

  async #lead(election: Election, sequencer: Sequencer): Promise<void> {
    const { signal } = this.#stop;
    try {
      await election.runAsLeader((lost, _, part) => sequencer.lead(part, { signal: lost }), { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  count(): void {
    this.#running.push(this.first.finalizer.run({ signal: this.#stop.signal }));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
    for (const election of this.elections) await election.stop();
    for (const each of this.processes) await each.close();
    await this.home.close();
  }
}

export async function openValidator(
  name: string,
  home: Home,
  options: Partial<SequencerOptions> = {},
  count = 2,
): Promise<Validator> {
  const own = { ...optionsOf(name), openPool: home.openPool, removePool: home.removePool, ...options };
  const processes: Sequencer[] = [];
  for (let i = 0; i < count; i++) processes.push(await openSequencer({ ...own, owner: `${name}-${i}` }));
  const { control } = poolNames(own.protocol, own.market);
  return new Validator(
    own,
    home,
    processes,
    processes.map(() => home.elect(control)),
  );
}
