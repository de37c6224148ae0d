import { setTimeout as delay } from 'node:timers/promises';
import { noise } from '@chainsafe/libp2p-noise';
import { generateKeyPairFromSeed } from '@libp2p/crypto/keys';
import { type GossipSub, type GossipsubMessage, gossipsub, TopicValidatorResult } from '@libp2p/gossipsub';
import { identify } from '@libp2p/identify';
import { tcp } from '@libp2p/tcp';
import { yamux } from '@libp2p/yamux';
import { multiaddr } from '@multiformats/multiaddr';
import { createLibp2p, type Libp2p } from 'libp2p';

/** A node's decision about a message: pass it on, keep it, or mark its sender as bad. */
export type Verdict = 'accept' | 'ignore' | 'reject';

/** Looks at a message before it is passed on. `peer`: the other end of the connection, not the author that the message names. */
type Check = (data: Uint8Array, peer: string) => Verdict | Promise<Verdict>;

export interface MeshOptions {
  /** 32 bytes: the node's peer id comes from them, and stays the same when it starts again. */
  readonly seed: Uint8Array;
  /** The address to listen on; default 127.0.0.1. */
  readonly host?: string | undefined;
  /** The port to listen on; 0: a free one. */
  readonly port: number;
  /** Addresses of the peers that this node calls, and calls again when a connection has ended. */
  readonly peers: readonly string[];
  /** The topics that it takes part in, each with its check. */
  readonly topics: Readonly<Record<string, Check>>;
}

type Services = { readonly pubsub: GossipSub & Reporting };

/** Missing in the interface of the package. */
interface Reporting {
  reportMessageValidationResult(id: string, source: GossipsubMessage['propagationSource'], result: string): void;
}

const redialMs = 200;
const dialMs = 2_000;

/** A node of a gossip network: libp2p over TCP, with Noise and Yamux. */
export class Mesh implements AsyncDisposable {
  readonly #node: Libp2p<Services>;
  readonly #options: MeshOptions;
  readonly #ending = new AbortController();
  readonly #calling: Promise<unknown>;

  private constructor(node: Libp2p<Services>, options: MeshOptions) {
    this.#node = node;
    this.#options = options;
    const { pubsub } = node.services;
    pubsub.addEventListener('gossipsub:message', ({ detail }) => void this.#judge(detail));
    for (const topic of Object.keys(options.topics)) pubsub.subscribe(topic);
    this.#calling = Promise.all(options.peers.map((address) => this.#keepCalling(address)));
  }

  static async open(options: MeshOptions): Promise<Mesh> {
    const node = await createLibp2p({
      privateKey: await generateKeyPairFromSeed('Ed25519', options.seed),
      addresses: { listen: [listenAddress(options)] },
      transports: [tcp()],
      connectionEncrypters: [noise()],
      streamMuxers: [yamux()],
      connectionManager: { dialTimeout: dialMs },
      services: {
        identify: identify(),
        // With `asyncValidation` a message waits for the check before it goes on to others.
        pubsub: gossipsub({ asyncValidation: true, floodPublish: true, allowPublishToZeroTopicPeers: true }),
      },
    });
    return new Mesh(node as unknown as Libp2p<Services>, options);
  }

  /** Where this node can be called. */
  get address(): string {
    return String(this.#node.getMultiaddrs()[0]);
  }

  /** Peers that take part in a topic, as far as this node is connected with them. */
  subscribers(topic: string): number {
    return this.#node.services.pubsub.getSubscribers(topic).length;
  }

  /** Sends a message to all that take part. Returns to how many it went directly. */
  async publish(topic: string, data: Uint8Array): Promise<number> {
    return (await this.#node.services.pubsub.publish(topic, data)).recipients.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#node.stop();
    await this.#calling;
  }

  async #judge({ msg, msgId, propagationSource }: GossipsubMessage): Promise<void> {
    let verdict: Verdict = 'ignore';
    try {
      verdict = (await this.#options.topics[msg.topic]?.(msg.data, String(propagationSource))) ?? 'ignore';
    } catch (error) {
      // Such as a store that is away: the message is not passed on, and its sender is not to blame.
      console.error(`a message was not checked: ${error instanceof Error ? error.message : error}`);
    }
    this.#node.services.pubsub.reportMessageValidationResult(msgId, propagationSource, results[verdict]);
  }

  async #keepCalling(address: string): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      const connection = await this.#node.dial(multiaddr(address), { signal }).catch(() => null);
      while (connection?.status === 'open' && !signal.aborted) await pause(signal);
      await pause(signal);
    }
  }
}

const results: Readonly<Record<Verdict, TopicValidatorResult>> = {
  accept: TopicValidatorResult.Accept,
  ignore: TopicValidatorResult.Ignore,
  reject: TopicValidatorResult.Reject,
};

function listenAddress({ host = '127.0.0.1', port }: Pick<MeshOptions, 'host' | 'port'>): string {
  return `/${host.includes(':') ? 'ip6' : 'ip4'}/${host}/tcp/${port}`;
}

async function pause(signal: AbortSignal): Promise<void> {
  await delay(redialMs, undefined, { signal }).catch(() => undefined);
}
