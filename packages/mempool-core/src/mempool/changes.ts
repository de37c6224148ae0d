import { checkHash, checkReason, checkWrite, distinctHashes } from '../boundary/arguments.ts';
import { maxCallTransactions } from '../boundary/basic-checks.ts';
import { unsupported } from '../boundary/call-errors.ts';
import { guardParts, hashesPart, withDigest } from '../boundary/operation-digest.ts';
import { type CallNames, callNames } from '../boundary/option-names.ts';
import { checkGuard } from '../boundary/pool-arguments.ts';
import type { Awaitable, ClaimContext, DropOptions, ReleaseOptions } from '../contract/call-options.ts';
import type { DropReason } from '../contract/drop-reason.ts';
import type { MoveVerb } from '../contract/lifecycle.ts';
import type { Batched } from './batches.ts';
import type { PoolCalls } from './pool-calls.ts';

/** The moves and drops: of lists, and of one transaction, which share a call with others. */
export class Changes {
  readonly #calls: PoolCalls;

  constructor(calls: PoolCalls) {
    this.#calls = calls;
  }

  /** Moves one transaction or those of a list (L3, L4). */
  move(
    verb: MoveVerb,
    which: string | readonly string[],
    options: ReleaseOptions | undefined,
    names: CallNames,
  ): Promise<boolean | string[]> {
    const run = (hashes: readonly string[], context: ClaimContext): Awaitable<string[]> => {
      const bound = withDigest(context, verb, () => [hashesPart(hashes), ...guardParts(context)]);
      return this.#calls.returning(this.#calls.driver.move(verb, hashes, bound));
    };
    return this.#change(verb, which, options, names, () => ({ name: '', run }));
  }

  /** Drops one transaction or those of a list (L10). */
  drop(
    which: string | readonly string[],
    reason: DropReason,
    options: DropOptions | undefined,
  ): Promise<boolean | string[]> {
    return this.#change('drop', which, options, callNames.drop, () => {
      const why = checkReason(reason);
      return {
        name: why,
        run: (hashes, context) => {
          const bound = withDigest(context, 'drop', () => [hashesPart(hashes), why, ...guardParts(context)]);
          return this.#calls.driver.drop(hashes, why, bound);
        },
      };
    });
  }

  #change(
    verb: MoveVerb | 'drop',
    which: string | readonly string[],
    options: (ReleaseOptions & DropOptions) | undefined,
    names: CallNames,
    prepare: () => Change,
  ): Promise<boolean | string[]> {
    if (typeof which !== 'string')
      return this.#calls.whole(verb, which, () =>
        this.#calls.write(options, names, (context) => {
          const hashes = distinctHashes('hashes', which, maxCallTransactions);
          const { run } = prepare();
          const guard = this.#guard(options);
          return hashes.length === 0 ? [] : run(hashes, { ...context, ...guard });
        }),
      );
    return this.#calls.observed(verb, async (trace) => {
      const context = checkWrite(options, names);
      const hash = checkHash('hash', which);
      const { name, run } = prepare();
      const guard = this.#guard(options);
      const batched: Batched<string, boolean> = {
        name: JSON.stringify([verb, name, guard]),
        kind: 'write',
        send: async (hashes, to) => {
          const changed = await this.#calls.changing(
            () => to,
            () => run([...new Set(hashes)], { ...to, ...guard }),
          );
          // If several calls name one hash, only the first changed it.
          const left = new Set(changed);
          return hashes.map((each) => left.delete(each));
        },
      };
      return this.#calls.single(batched, { item: hash, hash, bytes: 0, trace }, context);
    });
  }

  /** @throws `ERR_MEMPOOL_UNSUPPORTED` for `claim` or `notBeforeMs` without claims, and for `descendants` in a fifo pool */
  #guard(options: (ReleaseOptions & DropOptions) | undefined): ReturnType<typeof checkGuard> {
    const guard = checkGuard(options);
    if (guard.descendants && this.#calls.opened.ordering === 'fifo')
      throw unsupported('a fifo pool knows no descendants');
    if (guard.claim !== undefined || guard.notBeforeMs !== undefined) this.#calls.verb('extendClaim');
    return guard;
  }
}

/** A checked change of transactions. Calls with the same name and guard share one step (P19, P20, P23). */
interface Change {
  readonly name: string;
  run(hashes: readonly string[], context: ClaimContext): Awaitable<string[]>;
}
