import { keccak_256 } from '@noble/hashes/sha3.js';
import { encodeSubmission, type Submission, type SubmissionReason, submissionDigest } from 'mempool-sequencer';
import { signerOf, signSubmission } from 'mempool-sequencer/evm';
import type { Random } from 'mempool-testkit';

/** The expected end of a stored submission. */
export type Fate = 'counted' | SubmissionReason;

/** A submission of an epoch, and its expected end wherever it is stored. */
export interface Planned extends Pick<Submission, 'slot' | 'project' | 'cid'> {
  readonly message: Uint8Array;
  /** Two forms of one submission have the same. */
  readonly hash: string;
  /** An equivocating one is counted where its counterpart is missing. */
  readonly fate: Fate;
}

export interface Traffic {
  readonly epoch: number;
  readonly planned: readonly Planned[];
  /** To be sent when the window is over: no validator may store it. */
  readonly late: readonly Uint8Array[];
  /** Forged, malformed, replayed, or of slots that there are not: no gateway stores it. */
  readonly refused: readonly Uint8Array[];
}

type Unsigned = Omit<Submission, 'signature'>;

const projects = Array.from({ length: 24 }, (_, i) => `project-${String(i + 1).padStart(2, '0')}`);
const honest = [1, 2, 3, 4];
const [dissenter, ...liars] = [5, 6, 7, 8] as const;
const slots = 8;
const stranger = 99;

/** Makes the signed submissions of peers, with their expected ends. */
export class TrafficMaker {
  readonly #random: Random;
  readonly #domain: string;
  readonly #keys: readonly string[];
  /** Honest messages of the epoch before, to be replayed. */
  #earlier: readonly Uint8Array[] = [];

  /** `domain`: of the contract. */
  constructor(random: Random, domain: string) {
    this.#random = random;
    this.#domain = domain;
    this.#keys = Array.from({ length: stranger }, (_, i) => keyOf(`slot ${i + 1}`));
  }

  /** The slots' addresses: slot 1 is the first. */
  get addresses(): string[] {
    return this.#keys.slice(0, slots).map((key) => signerOf(key).address);
  }

  epoch(epoch: number): Traffic {
    const votes = projects.flatMap((project) => this.#votes(epoch, project));
    const bad = liars.flatMap((slot) => this.#contradictions(epoch, slot));
    const refused = [...liars.flatMap((slot) => this.#lies(epoch, slot)), ...this.#earlier.slice(0, 3)];
    this.#earlier = this.#shuffled(votes).map(({ message }) => message);
    const project = this.#some(projects);
    return {
      epoch,
      planned: this.#shuffled([...votes, ...bad]),
      late: honest.map((slot) => this.#message({ epoch, slot, project, cid: 'too-late' })),
      refused: [...refused, this.#message({ epoch, slot: stranger, project, cid: 'stranger' })],
    };
  }

  /** The honest slots' votes for a project. In every fourth or so it is two against two, and the lowest content id wins. */
  #votes(epoch: number, project: string): Planned[] {
    const isTie = this.#random.below(4) === 0;
    const cidOf = (slot: number): string => `${isTie && slot > 2 ? 'other' : 'cid'}-${epoch}-${project}`;
    const votes = honest.map((slot) => this.#planned({ epoch, slot, project, cid: cidOf(slot) }, 'counted'));
    if (this.#random.below(3) > 0 || isTie) return votes;
    const cid = `dissent-${epoch}-${project}`;
    return [...votes, this.#planned({ epoch, slot: dissenter, project, cid }, 'counted')];
  }

  /** Signatures to the harm of their slot: two contents of one project, a content that nobody finds, and one vote in two forms. */
  #contradictions(epoch: number, slot: number): Planned[] {
    const [project, missing, again] = this.#shuffled(projects) as [string, string, string];
    const own = { epoch, slot, project };
    const vote = this.#planned({ epoch, slot, project: again, cid: `cid-${epoch}-${again}` }, 'counted');
    return [
      ...['one', 'two'].map((cid) => this.#planned({ ...own, cid }, 'equivocation')),
      this.#planned({ ...own, project: missing, cid: `missing-${epoch}-${missing}` }, 'rejected'),
      vote,
      { ...vote, message: withNote(vote.message, 'again') },
    ];
  }

  /** Signed by another slot, for another market, and for the epoch before; and one that is no submission. */
  #lies(epoch: number, slot: number): Uint8Array[] {
    const own = { epoch, slot, project: this.#some(projects), cid: `lie-${epoch}-${slot}` };
    const domain = this.#domain.replace(/^../, (byte) => (byte === '00' ? '01' : '00'));
    return [
      this.#message(own, { key: this.#keys[0] as string }),
      this.#message(own, { domain }),
      this.#message(own, { signed: { ...own, epoch: epoch - 1 } }),
      this.#message({ ...own, cid: 'two words' }),
    ];
  }

  #planned(unsigned: Unsigned, fate: Fate): Planned {
    const { slot, project, cid } = unsigned;
    const hash = submissionDigest({ ...unsigned, domain: this.#domain });
    return { slot, project, cid, message: this.#message(unsigned), hash, fate };
  }

  #message(
    unsigned: Unsigned,
    how: { readonly key?: string; readonly domain?: string; readonly signed?: Unsigned } = {},
  ): Uint8Array {
    const { key: privateKey = this.#keys[unsigned.slot - 1] as string, domain = this.#domain, signed = unsigned } = how;
    return encodeSubmission({ ...unsigned, signature: signSubmission(signed, { domain, privateKey }) });
  }

  #shuffled<T>(items: readonly T[]): T[] {
    return shuffled(items, this.#random);
  }

  #some<T>(items: readonly T[]): T {
    return items[this.#random.below(items.length)] as T;
  }
}

export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const keyed = items.map((item) => [random.below(2 ** 30), item] as const);
  return keyed.toSorted(([a], [b]) => a - b).map(([, item]) => item);
}

/** A private key that everybody can compute: for a demonstration only. */
export function keyOf(name: string): string {
  return Buffer.from(keccak_256(Buffer.from(`epoch-sequencer demo: ${name}`))).toString('hex');
}

function withNote(message: Uint8Array, note: string): Uint8Array {
  return Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(message).toString()), note }));
}
