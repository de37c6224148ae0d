/** The faults that nodes suffer. Each is recorded when it begins and when it ends. */
import { setTimeout as delay } from 'node:timers/promises';
import { type FailoverRecorder, hostNow, killFault } from 'mempool-conformance/failover';
import type { Cluster } from './cluster.ts';
import type { ClusterNode } from './cluster-node.ts';

export class Faults {
  readonly #cluster: Cluster;
  readonly #recorder: FailoverRecorder;
  readonly #say: (line: string) => void;
  #count = 0;

  constructor(cluster: Cluster, recorder: FailoverRecorder, say: (line: string) => void) {
    this.#cluster = cluster;
    this.#recorder = recorder;
    this.#say = say;
  }

  get count(): number {
    return this.#count;
  }

  /** SIGKILL; the node stays down for a while. */
  kill(node: ClusterNode, downMs: number): Promise<void> {
    return this.during(killFault, node, async () => {
      this.#cluster.hold(node);
      node.kill();
      await this.#cluster.until(`${node.id} is down`, 10_000, () => node.state === 'down');
    }).then(() => this.#revive(node, downMs));
  }

  /** SIGSTOP, and SIGCONT after a while. */
  pause(node: ClusterNode, forMs: number): Promise<void> {
    return this.during('SIGSTOP', node, async () => {
      node.pause();
      await delay(forMs);
      node.resume();
    });
  }

  /** Nothing passes between the node and Redis for a while. */
  cut(node: ClusterNode, forMs: number): Promise<void> {
    return this.during('cut off', node, async () => {
      node.link.freeze();
      await delay(forMs);
      node.link.thaw();
    });
  }

  /** Everything between the node and Redis takes longer for a while. */
  slow(node: ClusterNode, byMs: number, forMs: number): Promise<void> {
    return this.during('slow', node, async () => {
      node.link.slow(byMs, byMs);
      await delay(forMs);
      node.link.thaw();
    });
  }

  /** The leader gives the leadership away. */
  resign(node: ClusterNode): Promise<void> {
    return this.during('resign', node, async () => node.resign());
  }

  /** The process is asked to end, and does. */
  async stop(node: ClusterNode, downMs: number): Promise<void> {
    this.#cluster.hold(node);
    const { pid } = node;
    await this.during('clean stop', node, async () => {
      node.stop();
      await this.#cluster.until(`${node.id} has stopped`, 20_000, () => node.pid !== pid);
    });
    await this.#revive(node, downMs);
  }

  /** Any other fault; `null`: it is the store's. */
  async during(fault: string, node: ClusterNode | null, act: () => Promise<unknown>): Promise<void> {
    await this.#recorded({ fault, node, removesLease: false }, act);
  }

  /** A fault that takes a live lease away from outside. */
  async removing(fault: string, act: () => Promise<unknown>): Promise<void> {
    await this.#recorded({ fault, node: null, removesLease: true }, act);
  }

  async #recorded(
    { fault, node, removesLease }: { fault: string; node: ClusterNode | null; removesLease: boolean },
    act: () => Promise<unknown>,
  ): Promise<void> {
    this.#count += 1;
    const target = node?.id ?? null;
    this.#say(`${fault}: ${target ?? 'the store'}`);
    this.#recorder.write({ kind: 'fault', at: hostNow(), fault, target, pid: node?.pid ?? null, removesLease });
    try {
      await act();
    } finally {
      this.#recorder.write({ kind: 'healed', at: hostNow(), fault, target });
    }
  }

  async #revive(node: ClusterNode, downMs: number): Promise<void> {
    await delay(downMs);
    this.#cluster.revive(node);
  }
}
