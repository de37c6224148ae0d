import type { Accepted } from '../contract/submission.ts';
import type { Sequencer } from '../sequencer.ts';
import { Mesh, type MeshOptions, type Verdict } from './mesh.ts';

export interface GossipOptions extends Omit<MeshOptions, 'topics'> {
  /** The name of all validators that agree with each other: the beginning of the topics' names. */
  readonly network: string;
}

/** The topics of a network of validators. */
export function topicsOf(network: string): { readonly submissions: string; readonly batches: string } {
  return { submissions: `/${network}/submissions/1`, batches: `/${network}/batches/1` };
}

/** Whoever passes a message on that came too early, too late or too often is not to blame for it. */
const verdicts: Readonly<Record<Accepted['kind'], Verdict>> = {
  received: 'accept',
  // It came by another way before. Others may miss it still.
  duplicate: 'accept',
  'unknown-epoch': 'ignore',
  closed: 'ignore',
  quota: 'ignore',
  'rate-limit': 'ignore',
  full: 'ignore',
  'too-large': 'reject',
  malformed: 'reject',
  'unknown-slot': 'reject',
  'unknown-validator': 'reject',
  'bad-signature': 'reject',
};

/** A validator in the network: incoming messages go through its gateway, its own messages go to the other validators. */
export class Gossip implements AsyncDisposable {
  readonly #mesh: Mesh;
  readonly #topics: ReturnType<typeof topicsOf>;

  private constructor(mesh: Mesh, network: string) {
    this.#mesh = mesh;
    this.#topics = topicsOf(network);
  }

  static async open({ network, ...options }: GossipOptions, sequencer: Sequencer): Promise<Gossip> {
    const { gateway } = sequencer;
    const topics = topicsOf(network);
    const mesh = await Mesh.open({
      ...options,
      topics: {
        [topics.submissions]: async (data, peer) => verdicts[(await gateway.accept(data, { peer })).kind],
        [topics.batches]: async (data, peer) => verdicts[(await gateway.acceptBatch(data, { peer })).kind],
      },
    });
    return new Gossip(mesh, network);
  }

  get address(): string {
    return this.#mesh.address;
  }

  /** Other nodes that this one hears of batches from, as far as it is connected with them. */
  get peers(): number {
    return this.#mesh.subscribers(this.#topics.batches);
  }

  async sendSubmission(message: Uint8Array): Promise<void> {
    await this.#mesh.publish(this.#topics.submissions, message);
  }

  async sendBatch(message: Uint8Array): Promise<void> {
    await this.#mesh.publish(this.#topics.batches, message);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#mesh[Symbol.asyncDispose]();
  }
}
