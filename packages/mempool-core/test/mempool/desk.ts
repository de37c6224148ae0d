import type { WriteOptions } from '../../src/contract/call-options.ts';
import type { BatchedVerb } from '../../src/mempool/call-list.ts';
import { Coalescer } from '../../src/mempool/coalescer.ts';

const limits = { maxBatch: 128, maxBatchBytes: 4_194_304, maxQueued: 100_000 };

/** A store call as it was sent, to be answered by the test. */
interface Sent {
  readonly verb: string;
  readonly items: readonly string[];
  readonly options: WriteOptions;
  answer(): void;
  fail(error: unknown): void;
}

/** A store that answers when told to; an answer is the item in capitals. */
export class Desk {
  readonly sent: Sent[] = [];
  #onSent: (() => void) | null = null;

  lane(verb: string, overlaps = true, kind: 'read' | 'write' = 'write'): BatchedVerb<string, string> {
    const send = (items: readonly string[], options: WriteOptions): Promise<string[]> => {
      const { promise, resolve, reject } = Promise.withResolvers<string[]>();
      const answer = (): void => resolve(items.map((item) => item.toUpperCase()));
      this.sent.push({ verb, items: [...items], options, answer, fail: reject });
      this.#onSent?.();
      return promise;
    };
    return { name: verb, overlaps, kind, send };
  }

  /** Resolves when so many calls were sent. */
  async until(count: number): Promise<void> {
    while (this.sent.length < count)
      await new Promise<void>((resolve) => {
        this.#onSent = resolve;
      });
  }

  /** Everything sent so far, as text. */
  get log(): string[] {
    return this.sent.map(({ verb, items }) => `${verb} ${items.join(',')}`);
  }

  /** Answers each call as soon as it comes, to the end. */
  async serve(until: Promise<unknown>): Promise<void> {
    let done = false;
    void until.finally(() => {
      done = true;
    });
    for (let i = 0; !done; await new Promise(setImmediate)) for (; i < this.sent.length; i++) this.sent[i]?.answer();
  }
}

export interface Started {
  readonly desk: Desk;
  readonly coalescer: Coalescer;
  /** A verb whose store calls may overlap, and one whose calls may not. */
  readonly mark: BatchedVerb<string, string>;
  readonly submit: BatchedVerb<string, string>;
  call(lane: BatchedVerb<string, string>, item: string, options?: WriteOptions, bytes?: number): Promise<string>;
}

/** A coalescer in front of a desk; an item is its own hash. */
export function start(given: Partial<typeof limits> = {}): Started {
  const desk = new Desk();
  const coalescer = new Coalescer({ ...limits, ...given });
  const call = (
    lane: BatchedVerb<string, string>,
    item: string,
    options: WriteOptions = {},
    bytes = 1,
  ): Promise<string> => coalescer.call(lane, { item, hash: item, bytes, trace: null }, options);
  return { desk, coalescer, mark: desk.lane('mark'), submit: desk.lane('submit', false), call };
}
