/** Releases the chain: first the transactions of a block go into the pool by some node, then every node may see the block. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from 'mempool-conformance';
import type { SourceStep, Transaction } from 'mempool-core';
import { emptyBlock, type Release, rivalOf } from './block-supply.ts';
import type { Cluster } from './cluster.ts';
import type { ClusterNode } from './cluster-node.ts';
import { pagesOf, type SingleNode } from './single-node.ts';

export interface ReleaseParts {
  readonly cluster: Cluster;
  /** Sees the same. */
  readonly single: SingleNode;
  readonly random: Random;
  readonly paceMs: number;
}

export class Releases {
  readonly #parts: ReleaseParts;
  #submissions = 0;

  constructor(parts: ReleaseParts) {
    this.#parts = parts;
  }

  /** Until the signal aborts; from then on without pauses what is required and left. */
  async play(supply: AsyncIterable<Release>, signal: AbortSignal): Promise<void> {
    for await (const release of supply) {
      if (signal.aborted && !release.isRequired) return;
      await this.#release(release, signal.aborted ? 0 : this.#parts.paceMs);
    }
  }

  /** Empty blocks, so many that whatever they decide is decided; the first has a rival that the pool has `reached` before. */
  async settle(blocks: number, reached: () => Promise<void>): Promise<void> {
    const before = this.#parts.cluster.chain.end;
    await this.#steps({ kind: 'apply', block: rivalOf(emptyBlock(before)) });
    await reached();
    await this.#steps({ kind: 'undo', point: before });
    for (let left = blocks; left > 0; left -= 1)
      await this.#steps({ kind: 'apply', block: emptyBlock(this.#parts.cluster.chain.end) });
    await reached();
  }

  #steps(...steps: readonly SourceStep[]): Promise<void> {
    return this.#release({ transactions: [], steps, isRequired: true }, this.#parts.paceMs);
  }

  async #release(release: Release, paceMs: number): Promise<void> {
    const { cluster, single } = this.#parts;
    await Promise.all(this.#shares(release.transactions).map((share) => this.#submit(share)));
    await single.take(release);
    for (const step of release.steps) {
      cluster.release(step);
      await delay(paceMs);
    }
  }

  /** As users do, each transaction goes to any of the nodes. */
  #shares(transactions: readonly Transaction[]): Transaction[][] {
    const { random, cluster } = this.#parts;
    const byNode = Map.groupBy(transactions, () => random.below(cluster.nodes.length));
    return [...byNode.values()].flatMap(pagesOf);
  }

  /** A node that does not answer is left for another one; the id of the submission makes that harmless. */
  async #submit(share: readonly Transaction[]): Promise<void> {
    this.#submissions += 1;
    await this.#parts.cluster.submit(`submission ${this.#submissions}`, share, () => this.#anyNode());
  }

  #anyNode(): ClusterNode {
    const { cluster, random } = this.#parts;
    const running = cluster.nodes.filter(({ state }) => state === 'running');
    return random.pick(running.length === 0 ? cluster.nodes : running);
  }
}
