/** The state of a single node after the same chain, and the differences between two pools. */
import { createHash } from 'node:crypto';
import type { ChainPoint, Mempool, SourceStep, Transaction, TransactionStatus } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import type { Release } from './block-supply.ts';
import { retention, thresholds } from './pool-settings.ts';

/** The part of a pool's state that depends on the chain alone. */
export interface PoolState {
  readonly tick: number;
  /** Newest first. */
  readonly points: readonly ChainPoint[];
  readonly statuses: readonly TransactionStatus[];
}

const pageSize = 1_000;
const differencesShown = 3;

export class SingleNode implements AsyncDisposable {
  readonly #store: Mempool;
  readonly #hashes: string[] = [];

  static async open(): Promise<SingleNode> {
    return new SingleNode(await ephemeral.open({ ...thresholds, ...retention }));
  }

  private constructor(store: Mempool) {
    this.#store = store;
  }

  /** Every transaction of the run, in order. */
  get hashes(): readonly string[] {
    return this.#hashes;
  }

  async take({ transactions, steps }: Release): Promise<void> {
    for (const page of pagesOf(transactions)) {
      const hashes = page.map(({ hash }) => hash);
      await this.#store.receive(page);
      await this.#store.markInflight(hashes);
      await this.#store.markAcknowledged(hashes);
      this.#hashes.push(...hashes);
    }
    for (const step of steps) await this.#step(step);
  }

  state(blocks: number): Promise<PoolState> {
    return stateOf(this.#store, this.#hashes, blocks);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store.close();
  }

  async #step(step: SourceStep): Promise<void> {
    const { kind } =
      step.kind === 'apply'
        ? await this.#store.confirm(step.block)
        : await this.#store.rollback(step.point ?? 'origin');
    if (kind !== 'applied' && kind !== 'rolled-back') throw new Error(`the chain itself is broken: ${kind}`);
  }
}

/** Splits transactions into pages of the largest call. */
export function pagesOf(transactions: readonly Transaction[]): Transaction[][] {
  const starts = Array.from({ length: Math.ceil(transactions.length / pageSize) }, (_, page) => page * pageSize);
  return starts.map((start) => transactions.slice(start, start + pageSize));
}

export async function stateOf(
  store: Pick<Mempool, 'tip' | 'status'>,
  hashes: readonly string[],
  blocks: number,
): Promise<PoolState> {
  const statuses: TransactionStatus[] = [];
  for (let start = 0; start < hashes.length; start += pageSize)
    statuses.push(...(await store.status(hashes.slice(start, start + pageSize))));
  const { tick, points } = await store.tip({ points: blocks + 1 });
  return { tick, points, statuses };
}

export function digestOf({ tick, points, statuses }: PoolState): string {
  const places = points.map(({ slot, hash }) => [slot, hash]);
  const stages = statuses.map(({ hash, stage, reason, confirmedAt }) => [hash, stage, reason, confirmedAt?.hash]);
  return createHash('sha256')
    .update(JSON.stringify([tick, places, stages]))
    .digest('hex');
}

/** The differences to a single node's state and to the chain, in words. */
export function differences(state: PoolState, single: PoolState, blocks: number): string[] {
  const found: string[] = [];
  if (state.tick !== blocks) found.push(`the tick is ${state.tick}, and the chain has ${blocks} blocks`);
  const distinct = new Set(state.points.map(({ hash }) => hash)).size;
  if (distinct !== state.points.length) found.push(`${state.points.length - distinct} points are applied twice`);
  if (state.points.length !== blocks) found.push(`${state.points.length} points are applied, not ${blocks}`);
  const others = state.statuses.filter(({ stage }, index) => stage !== single.statuses[index]?.stage);
  if (others.length > 0) found.push(`${others.length} transactions are not where a single node has them`);
  for (const { hash, stage } of others.slice(0, differencesShown)) {
    const expected = single.statuses.find((status) => status.hash === hash)?.stage;
    found.push(`transaction ${hash} is ${stage}, on a single node ${expected}`);
  }
  return found;
}
