import type { WorkDone } from 'mempool-core';
import { fromBytes } from '../codec/json.ts';
import type { Leaf, ProjectVotes } from '../contract/batch.ts';
import { winners } from '../rules/tally.ts';
import { recordNames } from '../store/names.ts';
import type { Namespace } from '../store/namespace.ts';

/** A work item: one part of an epoch's projects. */
export interface PartItem {
  readonly epoch: number;
  readonly part: number;
}

/** Options of a finalizer. */
export interface FinalizerOptions {
  /** The name of this worker, 1–128 printable characters. */
  readonly owner: string;
  /** How long a claim lasts, in milliseconds, at least 100; default 30,000. A living finalizer extends it. */
  readonly claimMs?: number | undefined;
  /** The most parts counted at the same time; default 4. */
  readonly concurrency?: number | undefined;
  /**
   * Counts the votes of a part; default `winners`. For a rule of one's own, which has to be the same everywhere. If it throws,
   * it is called again, after 250 ms and then ever more rarely.
   */
  readonly count?:
    | ((part: readonly ProjectVotes[], item: PartItem) => readonly Leaf[] | Promise<readonly Leaf[]>)
    | undefined;
}

const firstBackoffMs = 250;
const longestBackoffMs = 30_000;

/** Counts the votes of parts, under claims: a killed finalizer's part is taken again, and its result is written once. */
export class Finalizer {
  readonly #namespace: Namespace;
  readonly #options: FinalizerOptions;

  constructor(namespace: Namespace, options: FinalizerOptions) {
    this.#namespace = namespace;
    this.#options = options;
  }

  /** Works until the signal aborts. */
  run({ signal }: { readonly signal: AbortSignal }): Promise<WorkDone> {
    const { owner, claimMs, concurrency = 4 } = this.#options;
    const work = ({ payload }: { readonly payload: Uint8Array }) => this.#finish(fromBytes<PartItem>(payload));
    const again = { attempts: Number.POSITIVE_INFINITY, backoff };
    return this.#namespace.parts.work(work, { owner, claimMs, concurrency, signal, ...again });
  }

  async #finish(item: PartItem): Promise<void> {
    const { records } = this.#namespace;
    const { epoch, part } = item;
    const votes = await records.read<ProjectVotes[]>(recordNames.votes(epoch, part));
    // Without votes the epoch was forgotten meanwhile.
    if (votes === null) return;
    const { count = winners } = this.#options;
    await records.writeOnce(recordNames.part(epoch, part), await count(votes.value, item));
  }
}

/** Without its part the epoch would never end, so a part is counted for as long as that fails. */
function backoff(attempt: number): number {
  return Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.min(attempt - 1, 30));
}
