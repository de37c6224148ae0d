import { setTimeout as delay } from 'node:timers/promises';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { Mesh, topicsOf } from 'mempool-sequencer/gossip';
import type { Random } from 'mempool-testkit';
import { shuffled, type Traffic } from './traffic.ts';

/** A validator, as whoever sends to it knows it. */
export interface Target {
  readonly name: string;
  readonly gossipPort: number;
  readonly httpPort: number;
}

/** The result of sending an epoch's traffic. */
export interface Fed {
  /** By validator: the acknowledged submissions. */
  readonly acknowledged: ReadonlyMap<string, ReadonlySet<string>>;
  /** Of these, how many had come by gossip before they were asked for. */
  readonly byGossip: number;
}

export interface Feeding {
  readonly traffic: Traffic;
  readonly closesAt: number;
  /** True for a validator that gets submissions by gossip only. */
  readonly isCutOff: (name: string) => boolean;
}

/** How long gossip takes at most, before each validator is asked for its submissions. */
const gossipMs = 2_000;

/** Peers that send submissions: one next to each validator, each in an order of its own. */
export class Feeder implements AsyncDisposable {
  readonly #targets: readonly Target[];
  readonly #peers: readonly Mesh[];
  readonly #topic: string;
  readonly #random: Random;

  private constructor(targets: readonly Target[], peers: readonly Mesh[], topic: string, random: Random) {
    this.#targets = targets;
    this.#peers = peers;
    this.#topic = topic;
    this.#random = random;
  }

  static async open(network: string, targets: readonly Target[], random: Random): Promise<Feeder> {
    const topic = topicsOf(network).submissions;
    const open = ({ name, gossipPort }: Target): Promise<Mesh> =>
      Mesh.open({
        seed: keccak_256(Buffer.from(`peer of ${name}`)),
        port: 0,
        peers: [`/ip4/127.0.0.1/tcp/${gossipPort}`],
        // They send and receive, and ignore the messages.
        topics: { [topic]: () => 'ignore' },
      });
    return new Feeder(targets, await Promise.all(targets.map(open)), topic, random);
  }

  /** Resolves when all validators' gateways answer, and each peer is connected with one. */
  async ready(signal: AbortSignal): Promise<void> {
    for (const [i, { httpPort }] of this.#targets.entries())
      while ((await post(httpPort, new Uint8Array())) === null || this.#peers[i]?.subscribers(this.#topic) === 0) {
        signal.throwIfAborted();
        await delay(100);
      }
  }

  /** Sends an epoch's traffic while its window is open. Resolves when all validators have it, or the window is over. */
  async feed(feeding: Feeding): Promise<Fed> {
    const { planned, refused } = feeding.traffic;
    await this.#gossip([...planned.map(({ message }) => message), ...refused], gossipMs);
    const fed = await Promise.all(this.#targets.map((target) => this.#confirm(target, feeding)));
    return {
      acknowledged: new Map(fed.map(({ name, acknowledged }) => [name, acknowledged])),
      byGossip: fed.reduce((sum, { byGossip }) => sum + byGossip, 0),
    };
  }

  /** Sends the late submissions when no gateway takes them any more, a second after the end of the window. Returns violations. */
  async feedLate({ traffic, closesAt }: Feeding): Promise<string[]> {
    await delay(Math.max(0, closesAt + 1_300 - Date.now()));
    await this.#gossip(traffic.late, 100);
    return (await Promise.all(this.#targets.map((target) => this.#sendLate(target, traffic)))).flat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const peer of this.#peers) await peer[Symbol.asyncDispose]();
  }

  /** Each message by one or two of the peers. */
  async #gossip(messages: readonly Uint8Array[], withinMs: number): Promise<void> {
    const started = Date.now();
    const sending = this.#peers.map(async (peer, i) => {
      const mine = messages.filter((_, j) => j % this.#peers.length === i || this.#random.below(6) === 0);
      for (const [sent, message] of shuffled(mine, this.#random).entries()) {
        await peer.publish(this.#topic, message).catch(() => undefined);
        const ahead = started + (withinMs * sent) / mine.length - Date.now();
        if (ahead > 5) await delay(ahead);
      }
    });
    await Promise.all(sending);
  }

  /** Sends everything again by HTTP, until the validator acknowledges it, or its window is over. */
  async #confirm({ name, httpPort }: Target, { traffic, closesAt, isCutOff }: Feeding) {
    const acknowledged = new Set<string>();
    let byGossip = 0;
    const waiting = shuffled(traffic.planned, this.#random);
    const lane = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined && Date.now() < closesAt; next = waiting.pop()) {
        const kind = isCutOff(name) ? null : await post(httpPort, next.message);
        if (kind === 'received' || kind === 'duplicate') acknowledged.add(next.hash);
        else waiting.unshift(next);
        if (kind === 'duplicate') byGossip += 1;
        if (kind !== 'received' && kind !== 'duplicate') await delay(50);
      }
    };
    await Promise.all([lane(), lane(), lane(), lane()]);
    return { name, acknowledged, byGossip };
  }

  async #sendLate({ name, httpPort }: Target, { epoch, late }: Traffic): Promise<string[]> {
    const answers = await Promise.all(late.map((message) => post(httpPort, message)));
    // A gateway that is down, or has never heard of the epoch, stores nothing.
    const wrong = answers.filter((kind) => kind !== null && kind !== 'closed' && kind !== 'unknown-epoch');
    return wrong.map((kind) => `epoch ${epoch}, ${name}: answered ${kind} when the window was over`);
  }
}

/** The gateway's answer; `null` if there is none. */
async function post(port: number, message: Uint8Array): Promise<string | null> {
  try {
    const url = `http://127.0.0.1:${port}/submissions`;
    const signal = AbortSignal.timeout(2_000);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', body: new Uint8Array(message), headers, signal });
    return ((await answer.json()) as { readonly kind: string }).kind;
  } catch {
    return null;
  }
}
